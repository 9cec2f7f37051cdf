// Common and geometric functions (OpenCL 1.2 6.12.4, 6.12.5), math functions that are a few operations in every
// precision, and the native functions that are not single operations.

gentype clamp_fp(gentype x, gentype lo, gentype hi)
{
    return fmin(fmax(x, lo), hi);
}

gentype fma_fp(gentype x, gentype y, gentype z)
{
    if (__caldera_has_fused_fma(x)) {
        return __caldera_fma(x, y, z);
    } else {
        return __caldera_round_fma(x, y, z);
    }
}

gentype degrees_double(gentype x)
{
    return x * (gentype)57.295779513082320877;
}

gentype degrees_fp(gentype x)
{
    return x * (gentype)57.2957795f;
}

gentype radians_double(gentype x)
{
    return x * (gentype)0.017453292519943295769;
}

gentype radians_fp(gentype x)
{
    return x * (gentype)0.017453292519943295f;
}

gentype mix_fp(gentype x, gentype y, gentype a)
{
    return x + (y - x) * a;
}

gentype step_fp(gentype edge, gentype x)
{
    return x < edge ? (gentype)0 : (gentype)1;
}

gentype smoothstep_fp(gentype lo, gentype hi, gentype x)
{
    gentype t = clamp((x - lo) / (hi - lo), (gentype)0, (gentype)1);
    return t * t * ((gentype)3 - (gentype)2 * t);
}

// The result keeps the sign of a zero. For NaN it is 0.
gentype sign_fp(gentype x)
{
    gentype r = x > (gentype)0 ? (gentype)1 : x < (gentype)0 ? (gentype)-1 : x;
    return x != x ? (gentype)0 : r;
}

gentype fdim_fp(gentype x, gentype y)
{
    return x <= y ? (gentype)0 : x - y;
}

// The magnitudes are compared as integers, without the sign bit, because comparisons of floats on the H200 treat
// all subnormal numbers as zero. If one argument is NaN, fmin and fmax both return the other one.
elemtype maxmag_fp(elemtype x, elemtype y)
{
    elemtype least = fmin(x, y), most = fmax(x, y);
    return (uelemtype)(as_uelemtype(least) << 1) > (uelemtype)(as_uelemtype(most) << 1) ? least : most;
}

elemtype minmag_fp(elemtype x, elemtype y)
{
    elemtype least = fmin(x, y), most = fmax(x, y);
    return (uelemtype)(as_uelemtype(least) << 1) > (uelemtype)(as_uelemtype(most) << 1) ? most : least;
}

// A number halfway between two integers is rounded away from zero. The number that is added is the greatest one
// below 1/2: with 1/2 itself, the sum for the greatest x below 1/2 would be rounded up to 1.
gentype round_fp(gentype x)
{
    return trunc(x + copysign((gentype)GENC(0.49999997f, 0.49999999999999994), x));
}

// round of the type half. x - t is exact, so the comparison with 1/2 is, too.
gentype round_half(gentype x)
{
    gentype t = trunc(x);
    gentype r = fabs(x - t) >= (gentype)0.5f ? t + copysign((gentype)1, x) : t;
    return copysign(r, x);
}

gentype native_exp10_fp(gentype x)
{
    return native_exp2(x * (gentype)3.321928094887362f);
}

gentype native_log10_fp(gentype x)
{
    return native_log2(x) * (gentype)0.3010299956639812f;
}

gentype cross_any3(gentype x, gentype y)
{
    return x.yzx * y.zxy - x.zxy * y.yzx;
}

gentype cross_any4(gentype x, gentype y)
{
    gentype r = x.yzxw * y.zxyw - x.zxyw * y.yzxw;
    r.w = (elemtype)0;
    return r;
}

// If squares of the elements would overflow or underflow, the vector is scaled first and the length afterwards.
elemtype length_fp(gentype x)
{
    elemtype big = __caldera_max_lane(fabs(x));
    elemtype scale = (elemtype)1, back = (elemtype)1;
    if (big > (elemtype)LENGTH_BIG) {
        scale = (elemtype)LENGTH_DOWN;
        back = (elemtype)LENGTH_UP;
    }
    if (big < (elemtype)LENGTH_SMALL) {
        scale = (elemtype)LENGTH_UP;
        back = (elemtype)LENGTH_DOWN;
    }
    gentype y = x * (gentype)scale;
    elemtype r = __caldera_sqrt(dot(y, y)) * back;
    return isinf(big) ? big : r;
}

// Functions of half compute in float, where the squares of all halves are in range.
elemtype length_half(gentype x)
{
    return (elemtype)length(convert_fgentype(x));
}

elemtype distance_half(gentype x, gentype y)
{
    return (elemtype)distance(convert_fgentype(x), convert_fgentype(y));
}

gentype normalize_half(gentype x)
{
    return convert_gentype(normalize(convert_fgentype(x)));
}

elemtype distance_fp(gentype x, gentype y)
{
    return length(x - y);
}

gentype normalize_fp(gentype x)
{
    elemtype big = __caldera_max_lane(fabs(x));
    if (isinf(big)) {
        // CL 7.5.1: infinite elements count as 1 or -1, and the others as 0; an element that is NaN stays so.
        x = isinf(x) ? copysign((gentype)1, x) : x * (gentype)0;
        big = (elemtype)1;
    }
    if (big == (elemtype)0) return x;
    if (big > (elemtype)LENGTH_BIG) {
        // The scaled vector is used only for the length, because scaling down has cost its small elements bits.
        gentype down = x * (gentype)(elemtype)LENGTH_DOWN;
        return x / (gentype)__caldera_sqrt(dot(down, down)) * (gentype)(elemtype)LENGTH_DOWN;
    }
    if (big < (elemtype)LENGTH_SMALL) x = x * (gentype)(elemtype)LENGTH_UP;
    return x / (gentype)__caldera_sqrt(dot(x, x));
}

elemtype fast_length_fp(gentype x)
{
    return native_sqrt(dot(x, x));
}

elemtype fast_distance_fp(gentype x, gentype y)
{
    gentype d = x - y;
    return native_sqrt(dot(d, d));
}

gentype fast_normalize_fp(gentype x)
{
    elemtype d = dot(x, x);
    if (d == (elemtype)0) return x;
    return x * (gentype)native_rsqrt(d);
}
