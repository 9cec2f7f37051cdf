// Trigonometric functions of double for devices whose fused multiply-add is fast or whose 1 / sqrt is accurate;
// the others use __c_sin_d and its like. The argument is reduced by Cody and Waite's method, with three parts of
// pi/2 and fused operations. The first operation is exact, so one double holds the remainder with a relative
// error of 2^-53. For |x| > 2^30 the reduction is that of math_trig.cl. The polynomials of sine and cosine are
// both computed and one result is selected, which costs less than selecting the coefficients.

// Returns r with x = q pi/2 + r, where |r| exceeds pi/4 at most slightly. Only the two lowest bits of *q are
// meaningful. The result is NaN if x is not finite.
double __c_reduce_fast_d(double x, uint *q)
{
    if (fabs(as_float(__c_high(x))) < as_float(0x41d00000u)) {
        double t = __caldera_fma(x, 0.6366197723675814, 0x1.8p52);
        *q = (uint)as_ulong(t);
        double n = t - 0x1.8p52;
        // All parts of pi/2 are positive, so for n = 0 every product is -0, and x = -0 is preserved.
        double r = __caldera_fma(n, -1.5707963267948966, x);
        r = __caldera_fma(n, -6.123233995736765e-17, r);
        return __caldera_fma(n, -1.082856673921914e-32, r);
    }
    double a = fabs(x), r, e;
    int n = __c_reduce_large_d(a, &r, &e);
    r = a < as_double(0x7ff0000000000000UL) ? r + e : as_double(0x7ff8000000000000UL);
    *q = (uint)(x < 0.0 ? -n : n);
    return x < 0.0 ? -r : r;
}

// Return sin(r) and cos(r) for |r| <= pi/4. The sine preserves the sign of a zero.
double __c_sin_fast_d(double r)
{
    double z = r * r;
    return __caldera_fma(__p_sinq_d(z), __caldera_fma(r, z, 0.0), r);
}

double __c_cos_fast_d(double r)
{
    double z = r * r;
    return __caldera_fma(__caldera_fma(__p_cosq_d(z), z, -0.5), z, 1.0);
}

// Returns sin(r + q pi/2), given the sine and the cosine of r. For cos(r + q pi/2), pass q + 1.
double __c_of_quadrant_d(double sine, double cosine, uint q)
{
    double r = (q & 1u) != 0u ? cosine : sine;
    return as_double(as_ulong(r) ^ (ulong)(q << 30 & 0x80000000u) << 32);
}

// Error found: 1.43 ulp; allowed 4.
double sin_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        uint q;
        double r = __c_reduce_fast_d(x, &q);
        return __c_of_quadrant_d(__c_sin_fast_d(r), __c_cos_fast_d(r), q);
    } else {
        return __c_sin_d(x);
    }
}

// Error found: 1.45 ulp; allowed 4.
double cos_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        uint q;
        double r = __c_reduce_fast_d(x, &q);
        return __c_of_quadrant_d(__c_sin_fast_d(r), __c_cos_fast_d(r), q + 1u);
    } else {
        return __c_cos_d(x);
    }
}

double sincos_d(double x, double *cosine)
{
    if (__caldera_has_fast_fma(x)) {
        uint q;
        double r = __c_reduce_fast_d(x, &q);
        double s = __c_sin_fast_d(r), c = __c_cos_fast_d(r);
        *cosine = __c_of_quadrant_d(s, c, q + 1u);
        return __c_of_quadrant_d(s, c, q);
    } else {
        return __c_sincos_d(x, cosine);
    }
}

// Returns tan(r + q pi/2): sin(r) / cos(r), or -cos(r) / sin(r) if q is odd.
double __c_tan_of_quadrant_d(double r, uint q)
{
    double s = __c_sin_fast_d(r), c = __c_cos_fast_d(r);
    int odd = (q & 1u) != 0u;
    double t = (odd ? c : s) * __c_invert_d(odd ? s : c);
    return as_double(as_ulong(t) ^ (ulong)(q << 31) << 32);
}

// Error found: 3.4 ulp; allowed 5.
double tan_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        uint q;
        double r = __c_reduce_fast_d(x, &q);
        return __c_tan_of_quadrant_d(r, q);
    } else {
        return __c_tan_d(x);
    }
}

// Returns pi t, where x = n/2 + t with an integer n and |t| <= 1/4; t is exact. Stores the two lowest bits of n
// in *q, where the other bits have no meaning. |x| < 2^50.
double __c_reduce_pi_fast_d(double x, uint *q)
{
    double t = __caldera_fma(x, 2.0, 0x1.8p52);
    *q = (uint)as_ulong(t);
    return __caldera_fma(t - 0x1.8p52, -0.5, x) * 3.141592653589793;
}

int __c_is_below_2_50_d(double x)
{
    return fabs(as_float(__c_high(x))) < as_float(0x43100000u);
}

// Error found: 1.75 ulp; allowed 4.
double sinpi_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        if (!__c_is_below_2_50_d(x)) return __c_sinpi_d(x);
        uint q;
        double r = __c_reduce_pi_fast_d(x, &q);
        double v = __c_of_quadrant_d(__c_sin_fast_d(r), __c_cos_fast_d(r), q);
        return v == 0.0 ? copysign(0.0, x) : v;
    } else {
        return __c_sinpi_d(x);
    }
}

// Error found: 1.79 ulp; allowed 4.
double cospi_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        if (!__c_is_below_2_50_d(x)) return __c_cospi_d(x);
        uint q;
        double r = __c_reduce_pi_fast_d(x, &q);
        double v = __c_of_quadrant_d(__c_sin_fast_d(r), __c_cos_fast_d(r), q + 1u);
        return v == 0.0 ? 0.0 : v;
    } else {
        return __c_cospi_d(x);
    }
}

// Error found: 3.9 ulp; allowed 6.
double tanpi_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        if (!__c_is_below_2_50_d(x)) return __c_tanpi_d(x);
        uint q;
        double r = __c_reduce_pi_fast_d(fabs(x), &q);
        double v = __c_tan_of_quadrant_d(r, q);
        // At successive multiples of 1/2, from 0 on, the results are 0, infinity, -0 and -infinity in turn.
        v = r == 0.0 ? __c_of_high(((q & 1u) != 0u ? 0x7ff00000u : 0u) | (q << 30 & 0x80000000u)) : v;
        return as_double(as_ulong(v) ^ (as_ulong(x) & 0x8000000000000000UL));
    } else {
        return __c_tanpi_d(x);
    }
}

// The argument of the polynomial is a, -1 / a or (a - 1) / (a + 1), whose arc tangents differ from that of a by
// 0, pi/2 and pi/4. A divisor larger than 2^65 may be replaced by 2^65, since the result is then pi/2.
// Error found: 2.14 ulp; allowed 5.
double atan_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        double a = fabs(x);
        uint high = __c_high(a);
        int big = high >= 0x4003504fu, middle = high >= 0x3fda8279u;
        double num = big ? -1.0 : middle ? a - 1.0 : a;
        double large = high > 0x44000000u ? 0x1p65 : a;
        double den = big ? large : middle ? a + 1.0 : 1.0;
        double hi = big ? 1.5707963267948966 : middle ? 0.7853981633974483 : 0.0;
        double lo = big ? 6.123233995736766e-17 : middle ? 3.061616997868383e-17 : 0.0;
        double t = num * __c_invert_d(den);
        double z = t * t;
        double r = hi + (t + __caldera_fma(t * z, __p_atan_d(z), lo));
        return x != x ? x : copysign(r, x);
    } else {
        return __c_atan_d(x);
    }
}

// Computes the arc tangent of the smaller magnitude divided by the larger one as atan does. Both are scaled so
// that the larger one is in [1, 2). Angles above pi/4 are differences from pi/2, and those for a negative x are
// differences from pi.
// Error found: 1.8 ulp; allowed 6.
double atan2_d(double y, double x)
{
    if (__caldera_has_rsqrt(x)) {
        double ax = fabs(x), ay = fabs(y);
        uint high = __c_high(ax);
        int steep = __c_high(ay) > high;
        high = steep ? __c_high(ay) : high;
        // The scale exists unless the larger magnitude is 0, subnormal, infinite, NaN, or 2^1023 and more.
        if (high - 0x00100000u >= 0x7fd00000u) return __c_atan2_d(y, x);
        double scale = __c_of_high(0x7fe00000u - (high & 0x7ff00000u));
        double den = (steep ? ay : ax) * scale, num = (steep ? ax : ay) * scale;
        int middle = __c_high(__caldera_fma(den, -0.41421356237309503, num)) < 0x80000000u;
        double t = (middle ? num - den : num) * __c_invert_d(middle ? num + den : den);
        double z = t * t;
        double r = t + __caldera_fma(t * z, __p_atan_d(z), middle ? 3.061616997868383e-17 : 0.0);
        r += middle ? 0.7853981633974483 : 0.0;
        r = steep ? 1.5707963267948966 - (r - 6.123233995736766e-17) : r;
        r = __c_high(x) >= 0x80000000u ? 3.141592653589793 - (r - 1.2246467991473532e-16) : r;
        return copysign(r, y);
    } else {
        return __c_atan2_d(y, x);
    }
}

// Returns asin(a) if a is in [0, 1/2]. For larger a, if far is set, returns pi/4 - asin(a)/2, which is the arc
// sine of sqrt((1 - a) / 2), so that one polynomial suffices.
double __c_asin_half_d(double a, int far)
{
    double z = far ? __caldera_fma(a, -0.5, 0.5) : a * a;
    double s = far ? __c_root_d(z) : a;
    return __caldera_fma(s * z, __p_asin_d(z), s);
}

// Error found: 2.6 ulp; allowed 4.
double asin_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        double a = fabs(x);
        int far = __c_high(a) >= 0x3fe00000u;
        double t = __c_asin_half_d(a, far);
        double r = far ? 1.5707963267948966 + __caldera_fma(t, -2.0, 6.123233995736766e-17) : t;
        return a <= 1.0 ? copysign(r, x) : as_double(0x7ff8000000000000UL);
    } else {
        return __c_asin_d(x);
    }
}

// Error found: 1.6 ulp; allowed 4.
double acos_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        double a = fabs(x);
        int far = __c_high(a) >= 0x3fe00000u, negative = __c_high(x) >= 0x80000000u;
        double t = __c_asin_half_d(a, far);
        double near = 1.5707963267948966 - (copysign(t, x) - 6.123233995736766e-17);
        double right = t + t, left = 3.141592653589793 + __caldera_fma(t, -2.0, 1.2246467991473532e-16);
        double r = far ? negative ? left : right : near;
        return a <= 1.0 ? r : as_double(0x7ff8000000000000UL);
    } else {
        return __c_acos_d(x);
    }
}
