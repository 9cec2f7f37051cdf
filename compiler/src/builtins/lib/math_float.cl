// The functions of float that programs call most (OpenCL 1.2 6.12.2). They have few operations, and branches
// only for rare operands. `__caldera_has_fast_fma` says that a fused multiply-add is one operation.
// `__caldera_has_exp2` says that, in addition, the device's exponential is within 2 ulp. (Both are measured:
// runtime/docs/adr/0003.) Where they are false, the implementations for all formats are used instead. A
// branch on either is decided at compile time, before the untaken side is parsed.
//
// `__caldera_has_rsqrt` says that, in addition to a fast fma, the device's 1 / sqrt is within 1.5 ulp.
// Quotients in this file are then computed from it, because drivers whose division is correctly rounded,
// which no function here needs, take several times as long.
//
// Method of exp, exp2, exp10: x log2(b) = j + f; the result is the device's 2^f, times 2^j. j is clamped to
// the normal exponents and f takes the rest, so overflow, underflow, infinities and NaN need no special code.
// Logarithm: the exponent and a polynomial in m - 1. Power: log2 as a sum of two floats, from
// 2 atanh((m - 1) / (m + 1)), so that its product with y is exact enough (2^-30). Sine, cosine, tangent: Cody
// and Waite (Software Manual for the Elementary Functions, 1980) with three parts of pi/2 and fused operations; beyond
// 105615 as in math_trig.cl. Arc tangent: one polynomial on [0, 1]. Error function: a polynomial in x^2 below
// 0.92, and 1 - 2^(-x p(x)) above.

// exp(x) with the device's exponential. f = x log2(e) - j is computed with a fused product and the lower part
// of log2(e). Error found with an exact exponential: 0.9 ulp; allowed 3.
float __c_exp_fast_f(float x)
{
    float t = x * 1.44269502f;
    // The low bits of the sum are j + 127.
    float m = fmin(fmax(t, -126.0f), 126.0f) + 12583039.0f;
    float f = __caldera_fma(x, 1.44269502f, 12583039.0f - m);
    f = __caldera_fma(x, 1.92596303e-8f, f);
    return __caldera_exp2(f) * as_float(as_uint(m) << 23);
}

float exp_f(float x)
{
    if (__caldera_has_exp2(x)) {
        return __c_exp_fast_f(x);
    } else {
        return __c_exp_f(x);
    }
}

// As `__c_exp_fast_f`, for base 10, with log2(10) in two parts. Allowed 3.
float exp10_f(float x)
{
    if (__caldera_has_exp2(x)) {
        float t = x * 3.32192802f;
        float m = fmin(fmax(t, -126.0f), 126.0f) + 12583039.0f;
        float f = __caldera_fma(x, 3.32192802f, 12583039.0f - m);
        f = __caldera_fma(x, 7.05952175e-8f, f);
        return __caldera_exp2(f) * as_float(as_uint(m) << 23);
    } else {
        return __c_exp10_f(x);
    }
}

// Allowed 3.
float exp2_f(float x)
{
    if (__caldera_has_exp2(x)) {
        float m = fmin(fmax(x, -126.0f), 126.0f) + 12583039.0f;
        return __caldera_exp2(x - (m - 12583039.0f)) * as_float(as_uint(m) << 23);
    } else {
        return __c_exp2_f(x);
    }
}

// Takes the bits of a positive finite number and returns those of its significand m in [sqrt(1/2), sqrt(2)).
// *n is the corresponding exponent.
uint __c_unscale_f(uint u, float *n)
{
    float extra = 0.0f;
    if (u < 0x00800000u) {
        // With the implicit bit in place, the exponent field reads 1, as for the smallest normal number.
        int shift = (int)clz(u) - 8;
        u <<= shift;
        extra = (float)shift;
    }
    u += 0x3f800000u - 0x3f3504f3u;
    *n = (float)((int)(u >> 23) - 127) - extra;
    return (u & 0x7fffffu) + 0x3f3504f3u;
}

// Error found: 1.2 ulp, fused or not; allowed 3.
float log_f(float x)
{
    if (!__c_positive_f(x)) return __c_log_special_f(x);
    float n;
    float f = as_float(__c_unscale_f(as_uint(x), &n)) - 1.0f;
    float p = __caldera_mad(__p_ln_f(f), f, -0.5f);
    return __caldera_mad(n, 0.693147182f, __caldera_mad(p, f * f, f));
}

// log with -cl-fast-relaxed-math. OpenCL C 2.0 allows 3 ulp outside [0.5, 2] (1.2 has no limit), so the
// product with ln 2 is fused. The worst errors, over all floats between 1/e and 1/2, with the driver's own
// logarithm: with the exact lower part of ln 2, 3.2 ulp on llvmpipe and 3.4 on an H200; with a larger lower
// part, 2.8 on an H200 and 3.6 on llvmpipe. The two parts of ln 2 have the same sign, so that infinities stay
// correct.
float __caldera_fast_log_f(float x)
{
    float l = native_log2(x);
    float lesser = __caldera_has_fast_fma(l) ? 9e-8f : 5.76999989e-8f;
    return __caldera_mad(l, 0.693147123f, l * lesser);
}

// Error found: see cts-harness/docs; allowed 3.
float log2_f(float x)
{
    if (!__c_positive_f(x)) return __c_log_special_f(x);
    float n;
    float f = as_float(__c_unscale_f(as_uint(x), &n)) - 1.0f;
    float y = __caldera_mad(__caldera_mad(__p_ln_f(f), f, -0.5f), f * f, f);
    return __caldera_mad(y, 1.44269502f, __caldera_mad(y, 1.92596303e-8f, n));
}

// Allowed 3.
float log10_f(float x)
{
    if (!__c_positive_f(x)) return __c_log_special_f(x);
    float n;
    float f = as_float(__c_unscale_f(as_uint(x), &n)) - 1.0f;
    float y = __caldera_mad(__caldera_mad(__p_ln_f(f), f, -0.5f), f * f, f);
    // The first part of log10(2) ends in zero bits, so its product with n is exact.
    float l = __caldera_mad(n, 4.60503907e-6f, y * -1.01030499e-8f);
    return __caldera_mad(n, 0.301025391f, __caldera_mad(y, 0.434294492f, l));
}

// An approximation of 1 / x for x in [1, 4]. It uses the device's 1 / sqrt where that is good, because a
// division takes more operations.
float __c_invert_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        float r = __caldera_rsqrt(x);
        return r * r;
    } else {
        return 1.0f / x;
    }
}

// log2 of the positive number with these bits, as result + *lo, with an error below 2^-30. The argument is
// not a float, because a device that flushes subnormal numbers would lose it.
float __c_log2_pair_f(uint u, float *lo)
{
    float n;
    float m = as_float(__c_unscale_f(u, &n));
    // s is f / d, and e is the error of this quotient.
    float f = m - 1.0f, d = m + 1.0f;
    float r = __c_invert_f(d);
    float s = f * r;
    float e = __caldera_fma(-s, m - (d - 1.0f), __caldera_fma(-s, d, f)) * r;
    float z = s * s;
    float l = __caldera_fma(e, z, e) + s * z * __p_atanh_f(z);
    // Multiply by 2 / ln 2 and add n.
    float q = s * 2.88539004f;
    l = __caldera_fma(l, 2.88539004f, __caldera_fma(s, 3.85192607e-8f, __caldera_fma(s, 2.88539004f, -q)));
    float h = n + q;
    *lo = (n - h) + q + l;
    return h;
}

// log2 of x as result + *lo, with an error below 2^-30, or below 2^-40 without a fast fma.
float __c_log2_dd_f(float x, float *lo)
{
    if (__caldera_has_fast_fma(x)) {
        // The lower part of the pair is not small, so the sum is normalized.
        float l;
        float h = __c_log2_pair_f(as_uint(x), &l);
        float r = h + l;
        *lo = (h - r) + l;
        return r;
    } else {
        return __c_log2_split_f(x, lo);
    }
}

double __c_log2_dd_d(double x, double *lo) { return __c_log2_split_d(x, lo); }

// x^y for the bits of an x > 0 and for y that is not NaN. Error found with an exact exponential: 3.9 ulp;
// allowed 16.
float __c_pow_fast_f(uint u, float y)
{
    float l;
    float h = __c_log2_pair_f(u, &l);
    // A larger |y| overflows or underflows as this bound does.
    y = fmin(fmax(y, -0x1p40f), 0x1p40f);
    float t = y * h;
    float k = fmin(fmax(t, -126.0f), 126.0f) + 12583039.0f;
    float rest = __caldera_fma(y, l, __caldera_fma(y, h, -t));
    return __caldera_exp2((t - (k - 12583039.0f)) + rest) * as_float(as_uint(k) << 23);
}

float pow_f(float x, float y)
{
    if (__caldera_has_exp2(x)) {
        float r = __c_pow_fast_f(as_uint(x) & 0x7fffffffu, y);
        // x is positive and normal, and y is not NaN.
        if (as_uint(x) - 0x00800000u < 0x7f000000u && y == y) return r;
        return __c_pow_special_f(x, y, r);
    } else {
        return __c_pow_f(x, y);
    }
}

double pow_d(double x, double y) { return __c_pow_d(x, y); }

// pow with -cl-fast-relaxed-math, computed as OpenCL C 2.0's table derives it.
float __caldera_fast_pow_f(float x, float y)
{
    float r = native_exp2(y * native_log2(fabs(x)));
    return x < 0.0f && ((int)y & 1) != 0 ? -r : r;
}

// x = q pi/2 + result with |result| <= pi/4 (slightly more). Only the two lowest bits of *q are meaningful.
// The result is NaN if x is not finite.
float __c_reduce_fast_f(float x, uint *q)
{
    float a = fabs(x);
    if (__caldera_has_fast_fma(x)) {
        if (a <= 105615.0f) {
            float t = __caldera_fma(x, 0.636619747f, 12582912.0f);
            float n = t - 12582912.0f;
            *q = as_uint(t);
            // All parts of pi/2 are positive, so for n = 0 every product is -0, and x = -0 is preserved.
            float r = __caldera_fma(n, -1.57079625f, x);
            r = __caldera_fma(n, -7.54978942e-8f, r);
            return __caldera_fma(n, -5.39030295e-15f, r);
        }
        float r, e;
        int n = __c_reduce_large_f(a, &r, &e);
        r = a < INFINITY ? r + e : as_float(0x7fc00000u);
        *q = (uint)(x < 0.0f ? -n : n);
        return x < 0.0f ? -r : r;
    } else {
        float r, e;
        *q = (uint)__c_reduce_f(x, &r, &e);
        // A sum would lose the sign of a zero.
        r = a < 1e-4f ? x : r + e;
        return a < INFINITY ? r : as_float(0x7fc00000u);
    }
}

// sin(r), which preserves the sign of a zero, and cos(r), for |r| <= pi/4.
float __c_sin_fast_f(float r)
{
    float z = r * r;
    return __caldera_mad(__p_sinq_f(z), r * z + 0.0f, r);
}

float __c_cos_fast_f(float r)
{
    float z = r * r;
    return __caldera_mad(__p_cosq_f(z), z, 1.0f);
}

// Error found: see cts-harness/docs; allowed 4.
float sin_f(float x)
{
    uint q;
    float r = __c_reduce_fast_f(x, &q);
    float s = __c_sin_fast_f(r), c = __c_cos_fast_f(r);
    return as_float(as_uint((q & 1u) != 0u ? c : s) ^ (q << 30 & 0x80000000u));
}

// Allowed 4.
float cos_f(float x)
{
    uint q;
    float r = __c_reduce_fast_f(x, &q);
    float s = __c_sin_fast_f(r), c = __c_cos_fast_f(r);
    return as_float(as_uint((q & 1u) != 0u ? s : c) ^ ((q + 1u) << 30 & 0x80000000u));
}

float sincos_f(float x, float *cosine)
{
    uint q;
    float r = __c_reduce_fast_f(x, &q);
    float s = __c_sin_fast_f(r), c = __c_cos_fast_f(r);
    *cosine = as_float(as_uint((q & 1u) != 0u ? s : c) ^ ((q + 1u) << 30 & 0x80000000u));
    return as_float(as_uint((q & 1u) != 0u ? c : s) ^ (q << 30 & 0x80000000u));
}

// Allowed 5.
float tan_f(float x)
{
    uint q;
    float r = __c_reduce_fast_f(x, &q);
    float z = r * r;
    float t = __caldera_mad(__p_tanq_f(z), r * z, r);
    if (__caldera_has_rsqrt(x)) {
        // Computes -1 / t as the root of 1 / t^2.
        float c = as_float(as_uint(__caldera_rsqrt(t * t)) | (~as_uint(t) & 0x80000000u));
        return (q & 1u) != 0u ? c : t;
    } else {
        return (q & 1u) != 0u ? -1.0f / t : t;
    }
}

// native_tan, and tan with -cl-fast-relaxed-math.
float __caldera_fast_tan_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        float c = native_cos(x);
        return as_float(as_uint(native_sin(x) * __caldera_rsqrt(c * c)) ^ (as_uint(c) & 0x80000000u));
    } else {
        return __caldera_tan(x);
    }
}

// atan(t) for t in [0, 1].
float __c_atan_unit_f(float t)
{
    float z = t * t;
    return __caldera_mad(__p_atan1_f(z), t * z, t);
}

// y / x for 0 <= y <= x without the Newton step of `__caldera_divide_f`. Error: 4.4 ulp. The result is 0 for
// 0 / 0 and 1 for two infinities.
float __c_quick_ratio_f(float y, float x)
{
    if (__caldera_has_rsqrt(x)) {
        float s = __caldera_rsqrt(x);
        float t = (y * s) * s;
        t = x == y ? 1.0f : t;
        return y == 0.0f ? 0.0f : t;
    } else {
        return __c_ratio_f(y, x);
    }
}

// As `__c_quick_ratio_f`, with the Newton step. Error: 1.5 ulp.
float __c_ratio_f(float y, float x)
{
    // Scaling keeps the reciprocal and the dividend away from the ends of the range, where drivers divide
    // badly.
    float scale = x > 0x1p64f ? 0x1p-64f : 1.0f;
    scale = x < 0x1p-64f ? 0x1p64f : scale;
    float a = x * scale, b = y * scale;
    if (__caldera_has_rsqrt(x)) {
        float s = __caldera_rsqrt(a);
        float r = s * s;
        r = __caldera_mad(r, fmin(__caldera_mad(-a, r, 1.0f), 1.0f), r);
        // A device that flushes subnormal numbers treats them all as equal in comparisons, and perhaps as 0
        // in products.
        float t = a == b ? 1.0f : b * r;
        return y == 0.0f || r == INFINITY ? 0.0f : t;
    } else {
        float t = b / a;
        t = x == INFINITY || y == 0.0f ? 0.0f : t;
        return x == INFINITY && x == y ? 1.0f : t;
    }
}

// For |x| > 1, the error of the quotient is small compared with the term pi/2. Allowed 5.
float atan_f(float x)
{
    float a = fabs(x);
    float r = __c_atan_unit_f(a > 1.0f ? __c_quick_ratio_f(1.0f, a) : a);
    r = a > 1.0f ? 1.57079637f - (r + 4.37113883e-8f) : r;
    return copysign(r, x);
}

// The angle of (x, y), from the ratio of the smaller magnitude to the larger.
float __c_angle_of_ratio_f(float y, float x, float ratio)
{
    float r = __c_atan_unit_f(ratio);
    r = fabs(y) > fabs(x) ? 1.57079637f - (r + 4.37113883e-8f) : r;
    r = as_uint(x) >= 0x80000000u ? 3.14159274f - (r + 8.74227766e-8f) : r;
    r = copysign(r, y);
    return x != x || y != y ? x + y : r;
}

// With the quick ratio, errors near 0 were up to 5.7 ulp, and those of atan2pi up to 6.1. Allowed 6.
float atan2_f(float y, float x)
{
    float a = fabs(x), b = fabs(y);
    return __c_angle_of_ratio_f(y, x, __c_ratio_f(fmin(a, b), fmax(a, b)));
}

// atan2 with -cl-fast-relaxed-math.
float __caldera_fast_atan2_f(float y, float x)
{
    float a = fabs(x), b = fabs(y);
    return __c_angle_of_ratio_f(y, x, __c_quick_ratio_f(fmin(a, b), fmax(a, b)));
}

// Allowed 16.
float erf_f(float x)
{
    if (__caldera_has_exp2(x)) {
        float a = fabs(x);
        float near = __caldera_fma(__p_erf0_f(x * x), x, x);
        float b = fmin(a, 4.0f);
        float far = 1.0f - __caldera_exp2(__caldera_fma(__p_erf1_f(b), -b, -b));
        return a > 0.921875f ? copysign(far, x) : near;
    } else {
        return __c_erf_f(x);
    }
}

double erf_d(double x) { return __c_erf_d(x); }

// Vulkan's own 1 / sqrt is within 2 ulp; allowed 2.
float rsqrt_f(float x)
{
    return __caldera_rsqrt(x);
}
