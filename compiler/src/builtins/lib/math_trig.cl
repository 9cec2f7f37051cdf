// Trigonometric functions and their inverses (OpenCL 1.2 6.12.2), with one text for float and double
// (math_exp.cl explains the type words).
//
// Reduction: Cody and Waite with four parts of pi/2, whose products with the quotient are exact. Beyond their
// range, Payne and Hanek (Radian reduction for trigonometric functions, 1983) in integer arithmetic, which is
// exact enough for every argument. Kernels: polynomials on [-pi/4, pi/4].

// Selects one of five words by number, without a branch.
uint __c_pick(int i, uint a, uint b, uint c, uint d, uint e)
{
    uint low = (i & 1) != 0 ? b : a, high = (i & 1) != 0 ? d : c;
    low = (i & 2) != 0 ? high : low;
    return i > 3 ? e : low;
}

// 32 bits of two consecutive words, starting at bit n of the first.
uint __c_funnel(uint a, uint b, int n)
{
    return n == 0 ? a : a << n | b >> 32 - n;
}

// Payne and Hanek for x >= 2^12. The result is the quadrant, and *r + *e is the rest in [-pi/4, pi/4].
int __c_reduce_large_f(float x, float *r, float *e)
{
    uint u = as_uint(x);
    int ex = (int)(u >> 23) - 150;
    uint m = (u & 0x7fffffu) | 0x800000u;
    // Take 96 bits of 2/pi, starting at the bit whose weight times 2^ex is 2.
    int b = ex + 30;
    int w = b >> 5;
    int s = b & 31;
    // 2/pi is 0 . a2f9836e 4e441529 … ; w is at most 4.
    uint w0 = __c_pick(w, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u);
    uint w1 = __c_pick(w, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u);
    uint w2 = __c_pick(w, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
    uint w3 = __c_pick(w, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
    uint a0 = __c_funnel(w0, w1, s);
    uint a1 = __c_funnel(w1, w2, s);
    ulong a2 = __c_funnel(w2, w3, s);
    ulong top = m * a0;
    ulong mid = m;
    ulong p = (top << 32) + mid * a1 + (mid * a2 >> 32);
    // The first two bits are the quadrant, the others the fraction. Reading the fraction as a signed number
    // selects the nearest quadrant.
    long f = (long)(p << 2);
    int q = (int)(p >> 62) + (f < 0 ? 1 : 0);
    float hi = (float)(f >> 32);
    float lo = (float)(uint)(f & 0xffffffffL) * 0x1p-32f;
    float fh = hi + lo;
    float fl = (hi - fh) + lo;
    // Multiply by pi/2 * 2^-32.
    float pe;
    float p0 = __c_two_prod_f(fh, 0x1.921fb6p-32f, &pe);
    *r = p0;
    *e = pe + fh * -0x1.777a5cp-57f + fl * 0x1.921fb6p-32f;
    return q;
}

ulong __c_two_over_pi_dword(int i)
{
    switch (i) {
    case 0: return 0;
    case 1: return 0xa2f9836e4e441529UL;
    case 2: return 0xfc2757d1f534ddc0UL;
    case 3: return 0xdb6295993c439041UL;
    case 4: return 0xfe5163abdebbc561UL;
    case 5: return 0xb7246e3a424dd2e0UL;
    case 6: return 0x06492eea09d1921cUL;
    case 7: return 0xfe1deb1cb129a73eUL;
    case 8: return 0xe88235f52ebb4484UL;
    case 9: return 0xe99c7026b45f7e41UL;
    case 10: return 0x3991d639835339f4UL;
    case 11: return 0x9c845f8bbdf9283bUL;
    case 12: return 0x1ff897ffde05980fUL;
    case 13: return 0xef2f118b5a0a6d1fUL;
    case 14: return 0x6d367ecf27cb09b7UL;
    case 15: return 0x4f463f669e5fea2dUL;
    case 16: return 0x7527bac7ebe5f17bUL;
    case 17: return 0x3d0739f78a5292eaUL;
    case 18: return 0x6bfb5fb11f8d5d08UL;
    case 19: return 0x56033046fc7b6babUL;
    case 20: return 0xf0cfbc209af4361dUL;
    default: return 0xa9e391615ee61b08UL;
    }
}

// The same reduction for double, with 192 bits of 2/pi and 128 bits of the product.
int __c_reduce_large_d(double x, double *r, double *e)
{
    ulong u = as_ulong(x);
    int ex = (int)(u >> 52) - 1075;
    ulong m = (u & 0xfffffffffffffUL) | 0x10000000000000UL;
    int b = ex + 62;
    int w = b >> 6;
    int s = b & 63;
    ulong w0 = __c_two_over_pi_dword(w);
    ulong w1 = __c_two_over_pi_dword(w + 1);
    ulong w2 = __c_two_over_pi_dword(w + 2);
    ulong w3 = __c_two_over_pi_dword(w + 3);
    ulong a0 = w0, a1 = w1, a2 = w2;
    if (s != 0) {
        a0 = (w0 << s) | (w1 >> (64 - s));
        a1 = (w1 << s) | (w2 >> (64 - s));
        a2 = (w2 << s) | (w3 >> (64 - s));
    }
    ulong lo = m * a1;
    ulong hi = m * a0 + mul_hi(m, a1);
    ulong add = mul_hi(m, a2);
    lo += add;
    hi += lo < add ? 1UL : 0UL;
    ulong fh = (hi << 2) | (lo >> 62);
    ulong fl = lo << 2;
    int q = (int)(hi >> 62);
    double sign = 1.0;
    if ((fh >> 63) != 0UL) {
        q += 1;
        sign = -1.0;
        fl = ~fl + 1UL;
        fh = ~fh + (fl == 0UL ? 1UL : 0UL);
    }
    // Normalize the fraction, then convert 53 bits and the next 53 bits to doubles.
    int z = (int)clz(fh);
    double scale = sign;
    if (z > 0) {
        if (z == 64) {
            fh = fl;
            fl = 0;
            scale *= 0x1p-64;
            z = (int)clz(fh);
        }
        if (z > 0 && z < 64) {
            fh = (fh << z) | (fl >> (64 - z));
            fl = fl << z;
            scale *= as_double((ulong)(1023 - z) << 52);
        }
    }
    double top = (double)(fh & ~0x7ffUL) * 0x1p-64;
    double rest = (double)(((fh & 0x7ffUL) << 42) | (fl >> 22)) * 0x1p-106;
    double pe;
    double p = __c_two_prod_d(top, 1.5707963267948966, &pe);
    *r = p * scale;
    *e = (pe + (top * 6.123233995736766e-17 + rest * 1.5707963267948966)) * scale;
    return q;
}

// x = q pi/2 + *r + *e with |*r| <= pi/4 (slightly more), for finite x. The result is q modulo 4.
int __c_reduce_fp(elemtype x, elemtype *r, elemtype *e)
{
    elemtype a = fabs(x);
    if (a <= GENC(0.7853981f, 0.7853981633974483)) {
        *r = x;
        *e = 0;
        return 0;
    }
    if (a < GENC(4096.0f, 1000000.0)) {
        elemtype n = rint(x * GENC(0.6366197466850281f, 0.6366197723675814));
        elemtype e1, e2;
        elemtype w = x - n * GENC(1.5703125f, 1.5707963267341256);
        w = __c_two_sum_GEN(w, -n * GENC(0.0004837512969970703f, 6.07710050359346e-11), &e1);
        w = __c_two_sum_GEN(w, -n * GENC(7.549533620476723e-08f, 2.9127320548227e-20), &e2);
        elemtype lo = (e1 + e2) - n * GENC(2.5633440682570896e-12f, 1.2706558760139879e-29);
        elemtype hi = w + lo;
        *r = hi;
        *e = (w - hi) + lo;
        return (int)n & 3;
    }
    elemtype hr, he;
    int q = __c_reduce_large_GEN(a, &hr, &he);
    int negative = x < (elemtype)0;
    *r = negative ? -hr : hr;
    *e = negative ? -he : he;
    return (negative ? -q : q) & 3;
}

// sin(r + e) and cos(r + e) for |r| <= pi/4.
elemtype __c_sin_kernel_fp(elemtype r, elemtype e)
{
    elemtype z = r * r;
    return r + (r * z * __p_sin_GEN(z) + e * ((elemtype)1 - (elemtype)0.5f * z));
}

elemtype __c_cos_kernel_fp(elemtype r, elemtype e)
{
    elemtype z = r * r;
    elemtype h = (elemtype)0.5f * z;
    elemtype w = (elemtype)1 - h;
    return w + ((((elemtype)1 - w) - h) + (z * z * __p_cos_GEN(z) - r * e));
}

// Error found: 1.32 ulp in float, 0.79 in double; allowed 4.
elemtype __c_sin_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    if (a < GENC(1e-4f, 1e-9)) return x;
    elemtype r, e;
    int q = __c_reduce_GEN(x, &r, &e);
    elemtype v = (q & 1) != 0 ? __c_cos_kernel_GEN(r, e) : __c_sin_kernel_GEN(r, e);
    return (q & 2) != 0 ? -v : v;
}

// Error found: 1.29 ulp in float, 0.81 in double; allowed 4.
elemtype __c_cos_fp(elemtype x)
{
    if (!(fabs(x) < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    elemtype r, e;
    int q = __c_reduce_GEN(x, &r, &e) + 1;
    elemtype v = (q & 1) != 0 ? __c_cos_kernel_GEN(r, e) : __c_sin_kernel_GEN(r, e);
    return (q & 2) != 0 ? -v : v;
}

elemtype __c_sincos_fp(elemtype x, elemtype *c)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) {
        *c = as_elemtype(GEN_QUIET);
        return as_elemtype(GEN_QUIET);
    }
    elemtype r, e;
    int q = __c_reduce_GEN(x, &r, &e);
    elemtype sv = __c_sin_kernel_GEN(r, e);
    elemtype cv = __c_cos_kernel_GEN(r, e);
    elemtype s = (q & 1) != 0 ? cv : sv;
    elemtype t = (q & 1) != 0 ? sv : cv;
    *c = ((q + 1) & 2) != 0 ? -t : t;
    if (a < GENC(1e-4f, 1e-9)) return x;
    return (q & 2) != 0 ? -s : s;
}

// Error found: 2.57 ulp in float, 2.12 in double; allowed 5.
elemtype __c_tan_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    if (a < GENC(1e-4f, 1e-9)) return x;
    elemtype r, e;
    int q = __c_reduce_GEN(x, &r, &e);
    elemtype s = __c_sin_kernel_GEN(r, e);
    elemtype c = __c_cos_kernel_GEN(r, e);
    return (q & 1) != 0 ? -c / s : s / c;
}

// x = n/2 + t exactly, with |t| <= 1/4. The result is n modulo 4, and *r + *e is pi t. |x| < 2^(mantissa
// bits).
int __c_reduce_pi_fp(elemtype x, elemtype *r, elemtype *e)
{
    elemtype y = x - (elemtype)2 * rint((elemtype)0.5f * x);
    elemtype n = rint((elemtype)2 * y);
    elemtype t = y - (elemtype)0.5f * n;
    *r = t * GENC(3.1415927410125732f, 3.141592653589793);
    *e = t * GENC(-8.742277657347586e-08f, 1.2246467991473532e-16);
    return (int)n & 3;
}

// Error found: 1.43 ulp in float, 1.46 in double; allowed 4.
elemtype __c_sinpi_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    if (a >= GENC(0x1p23f, 0x1p52)) return copysign((elemtype)0, x);
    elemtype r, e;
    int q = __c_reduce_pi_GEN(a, &r, &e);
    elemtype v = (q & 1) != 0 ? __c_cos_kernel_GEN(r, e) : __c_sin_kernel_GEN(r, e);
    if (v == (elemtype)0) return copysign((elemtype)0, x);
    v = (q & 2) != 0 ? -v : v;
    return as_uelemtype(x) >= GEN_SIGN ? -v : v;
}

// Error found: 1.44 ulp in float, 1.44 in double; allowed 4.
elemtype __c_cospi_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    if (a >= GENC(0x1p24f, 0x1p53)) return 1;
    elemtype r, e;
    int q = __c_reduce_pi_GEN(a, &r, &e) + 1;
    elemtype v = (q & 1) != 0 ? __c_cos_kernel_GEN(r, e) : __c_sin_kernel_GEN(r, e);
    if (v == (elemtype)0) return 0;
    return (q & 2) != 0 ? -v : v;
}

// Error found: 2.72 ulp in float, 3.03 in double; allowed 6.
elemtype __c_tanpi_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a < as_elemtype(GEN_INF))) return as_elemtype(GEN_QUIET);
    if (a >= GENC(0x1p24f, 0x1p53)) return copysign((elemtype)0, x);
    elemtype r, e;
    int q = __c_reduce_pi_GEN(a, &r, &e);
    elemtype v;
    if (r == (elemtype)0 && a > (elemtype)0.125f) {
        // For |x|: +0 at even and -0 at odd integers. Halfway between integers, the result is +inf after an
        // even one and -inf after an odd one.
        v = (q & 1) != 0 ? as_elemtype(GEN_INF) : (elemtype)0;
        v = (q & 2) != 0 ? -v : v;
    } else {
        elemtype s = __c_sin_kernel_GEN(r, e);
        elemtype c = __c_cos_kernel_GEN(r, e);
        v = (q & 1) != 0 ? -c / s : s / c;
    }
    return as_elemtype(as_uelemtype(v) ^ (as_uelemtype(x) & GEN_SIGN));
}

elemtype __c_asin_tail_fp(elemtype s, elemtype z)
{
    return s * z * __p_asin_GEN(z);
}

// Error found: 2.33 ulp in float, 2.10 in double; allowed 4.
elemtype __c_asin_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a <= (elemtype)1)) return as_elemtype(GEN_QUIET);
    if (a < GENC(1e-4f, 1e-9)) return x;
    if (a <= (elemtype)0.5f) return x + __c_asin_tail_GEN(x, x * x);
    elemtype z = ((elemtype)1 - a) * (elemtype)0.5f;
    elemtype s = __c_root_GEN(z);
    elemtype t = (elemtype)2 * (s + __c_asin_tail_GEN(s, z));
    elemtype r = GENC(1.5707963705062866f, 1.5707963267948966) - (t - GENC(-4.371138828673793e-08f, 6.123233995736766e-17));
    // copysign is not used: llvmpipe with LLVM 15 and AVX-512 selects bits wrongly here.
    return x < (elemtype)0 ? -r : r;
}

float asin_f(float x) { return __c_asin_f(x); }

// Error found: 1.08 ulp in float, 1.12 in double; allowed 4.
elemtype __c_acos_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a <= (elemtype)1)) return as_elemtype(GEN_QUIET);
    elemtype half_hi = GENC(1.5707963705062866f, 1.5707963267948966);
    elemtype half_lo = GENC(-4.371138828673793e-08f, 6.123233995736766e-17);
    if (a <= (elemtype)0.5f) return half_hi - (x - (half_lo - __c_asin_tail_GEN(x, x * x)));
    elemtype z = ((elemtype)1 - a) * (elemtype)0.5f;
    elemtype s = __c_root_GEN(z);
    elemtype t = s + __c_asin_tail_GEN(s, z);
    if (x > (elemtype)0) return (elemtype)2 * t;
    return (elemtype)2 * (half_hi - (t - half_lo));
}

float acos_f(float x) { return __c_acos_f(x); }

// Error found: 2.86 ulp in float, 2.85 in double; allowed 5.
elemtype asinpi_fp(elemtype x)
{
    return asin_GEN(x) * GENC(0.31830987334251404f, 0.3183098861837907);
}

// Error found: 2.29 ulp in float, 2.28 in double; allowed 5.
elemtype acospi_fp(elemtype x)
{
    return acos_GEN(x) * GENC(0.31830987334251404f, 0.3183098861837907);
}

// atan(a / b) for a, b >= 0, if neither is NaN and they are not both 0 or both infinite. It uses the
// half-angle form with one division.
elemtype __c_atan_ratio_fp(elemtype a, elemtype b)
{
    elemtype big = fmax(a, b);
    if (big > GENC(0x1p120f, 0x1p1000)) {
        a *= (elemtype)0.0625f;
        b *= (elemtype)0.0625f;
    }
    if (big < GENC(0x1p-90f, 0x1p-900)) {
        a *= GENC(0x1p60f, 0x1p500);
        b *= GENC(0x1p60f, 0x1p500);
    }
    elemtype num = a, den = b, hi = 0, lo = 0;
    if (a > GENC(2.4142135f, 2.414213562373095) * b) {
        num = -b;
        den = a;
        hi = GENC(1.5707963705062866f, 1.5707963267948966);
        lo = GENC(-4.371138828673793e-08f, 6.123233995736766e-17);
    } else if (a > GENC(0.41421357f, 0.41421356237309503) * b) {
        num = a - b;
        den = a + b;
        hi = GENC(0.7853981852531433f, 0.7853981633974483);
        lo = GENC(-2.1855694143368964e-08f, 3.061616997868383e-17);
    }
    elemtype t = num / den;
    elemtype z = t * t;
    return hi + (t + (t * z * __p_atan_GEN(z) + lo));
}

// Error found: 1.89 ulp in float, 1.76 in double; allowed 5.
elemtype __c_atan_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a >= GENC(1e-4f, 1e-9))) return x;
    if (a == as_elemtype(GEN_INF)) return copysign(GENC(1.5707963705062866f, 1.5707963267948966), x);
    return copysign(__c_atan_ratio_GEN(a, (elemtype)1), x);
}

// Error found: 2.25 ulp in float, 1.99 in double; allowed 5.
elemtype atanpi_fp(elemtype x)
{
    return atan_GEN(x) * GENC(0.31830987334251404f, 0.3183098861837907);
}

// The angle of (|x|, |y|), which is in [0, pi/2]. Neither argument is NaN.
elemtype __c_angle_fp(elemtype y, elemtype x)
{
    elemtype ay = fabs(y), ax = fabs(x);
    elemtype inf = as_elemtype(GEN_INF);
    if (ax == inf && ay == inf) return GENC(0.7853981852531433f, 0.7853981633974483);
    if (ay == (elemtype)0) return 0;
    if (ay == inf) return GENC(1.5707963705062866f, 1.5707963267948966);
    if (ax == inf) return 0;
    return __c_atan_ratio_GEN(ay, ax);
}

// Error found: 1.88 ulp in float, 1.79 in double; allowed 6.
elemtype __c_atan2_fp(elemtype y, elemtype x)
{
    if (x != x || y != y) return x + y;
    elemtype r = __c_angle_GEN(y, x);
    if (as_uelemtype(x) >= GEN_SIGN) {
        r = GENC(3.1415927410125732f, 3.141592653589793) - (r - GENC(-8.742277657347586e-08f, 1.2246467991473532e-16));
    }
    return copysign(r, y);
}

// Error found: 2.41 ulp in float, 2.26 in double; allowed 6.
elemtype __c_atan2pi_fp(elemtype y, elemtype x)
{
    if (x != x || y != y) return x + y;
    elemtype r = __c_angle_GEN(y, x) * GENC(0.31830987334251404f, 0.3183098861837907);
    if (as_uelemtype(x) >= GEN_SIGN) r = (elemtype)1 - r;
    return copysign(r, y);
}
