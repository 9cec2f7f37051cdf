// More functions of float with few operations, in the manner of math_float.cl: hyperbolic functions and their
// inverses, log1p, expm1, the circular functions of multiples of pi, cbrt and fmod. The implementations for
// all formats are used where the device lacks the operations that these need.
//
// log1p takes the exponent from the rounded sum and the remainder from x itself (as in fdlibm). Only one
// rounding occurs, so no correction is needed. The inverse hyperbolic functions are log1p of sums without
// cancellation. expm1: x = j ln 2 + f, and 2^j (p + 1) - 1 in one fused operation. sinh, tanh: a polynomial
// near 0, the device's 2^x elsewhere. cbrt: x^(-1/3) by the device's logarithm and exponential, whose error
// may be 2^-12, and one step that triples the number of correct digits, applied to the product with x.
//
// «Error found» is the largest error over every 997th float, with errors of up to 0.8 units in 1 / sqrt and
// up to 1 unit in 2^x (at the lower end of a binade), always in the same direction or at random.

// log(1 + x) + extra ln 2 for -1 < x < 2^127. `extra` is given by the bits of an exponent field. The result
// is +0 for -0.
float __c_log1p_fast_f(float x, uint extra)
{
    // The difference of exponents between 1 + x and a number in [sqrt(1/2), sqrt(2)), as an exponent field.
    uint e = as_uint(1.0f + x) - 0x3f3504f3u & 0xff800000u;
    float s = as_float(0x3f800000u - e);
    float f = __caldera_fma(x, s, s - 1.0f);
    float p = __caldera_mad(__p_ln_f(f), f, -0.5f);
    p = __caldera_mad(p, f * f, f);
    return __caldera_mad((float)(int)(e + extra), 8.26295829e-8f, p);
}

// Error found: 1.7 ulp; allowed 2.
float log1p_f(float x)
{
    if (__caldera_has_fast_fma(x)) {
        if (x > -1.0f && x < 0x1p126f) return copysign(__c_log1p_fast_f(x, 0u), x);
        return log_f(x == -1.0f ? 0.0f : x);
    } else {
        return __c_log1p_f(x);
    }
}

// Error found: 1.5 ulp; allowed 3.
float expm1_f(float x)
{
    if (__caldera_has_fast_fma(x)) {
        if (!(x < 88.7228394f)) return x * INFINITY;
        float a = fmax(x, -20.0f);
        // The low bits of the sum are j + 126.
        float m = __caldera_fma(a, 1.44269502f, 12583038.0f);
        float j = m - 12583038.0f;
        float f = __caldera_fma(j, -0.693147182f, a);
        f = __caldera_fma(j, 1.90465421e-9f, f);
        float p = __caldera_fma(__p_expm1_f(f) * f, f, f);
        float t = as_float(as_uint(m) << 23);
        float r = __caldera_fma(t, p, t - 0.5f);
        return copysign(j == 0.0f ? p : r + r, x);
    } else {
        return __c_expm1_f(x);
    }
}

// exp(a) / 2 for a >= 0.
float __c_exp_half_f(float a)
{
    float m = fmin(a * 1.44269502f, 126.0f) + 12583038.0f;
    float f = __caldera_fma(a, 1.44269502f, 12583038.0f - m);
    f = __caldera_fma(a, 1.92596303e-8f, f);
    return __caldera_exp2(f) * as_float(as_uint(m) << 23);
}

// Error found: 2.7 ulp; allowed 4.
float cosh_f(float x)
{
    if (__caldera_has_exp2(x) && __caldera_has_rsqrt(x)) {
        float h = __c_exp_half_f(fabs(x));
        float r = __caldera_rsqrt(h);
        return __caldera_fma(0.25f * r, r, h);
    } else {
        return __c_cosh_f(x);
    }
}

double cosh_d(double x) { return __c_cosh_d(x); }

// Error found: 3.9 ulp; allowed 4.
float sinh_f(float x)
{
    if (__caldera_has_exp2(x) && __caldera_has_rsqrt(x)) {
        float a = fabs(x);
        float z = x * x;
        float near = __caldera_fma(__p_sinhq_f(z) * z, a, a);
        float h = __c_exp_half_f(a);
        float r = __caldera_rsqrt(h);
        float far = __caldera_fma(-0.25f * r, r, h);
        return copysign(a < 1.0f ? near : far, x);
    } else {
        return __c_sinh_f(x);
    }
}

double sinh_d(double x) { return __c_sinh_d(x); }

// Error found: 3.1 ulp; allowed 5.
float tanh_f(float x)
{
    if (__caldera_has_exp2(x) && __caldera_has_rsqrt(x)) {
        float a = fabs(x);
        float z = x * x;
        float near = __caldera_fma(__p_tanhq_f(z) * z, a, a);
        float r = __caldera_rsqrt(__caldera_exp2(a * 2.88539004f) + 1.0f);
        float far = __caldera_fma(-2.0f * r, r, 1.0f);
        return copysign(a < 0.5625f ? near : far, x);
    } else {
        return __c_tanh_f(x);
    }
}

double tanh_d(double x) { return __c_tanh_d(x); }

// Error found: 2.1 ulp; allowed 4.
float asinh_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        float a = fabs(x);
        if (!(a < INFINITY)) return x;
        float z = a * a;
        float s = 1.0f + z;
        float w = __caldera_rsqrt(__caldera_fma(s, __caldera_rsqrt(s), 1.0f));
        float t = __caldera_fma(z * w, w, a);
        // For large a, log(2 a) = log1p(a / 4) + 3 ln 2.
        int big = a > 0x1p40f;
        return copysign(__c_log1p_fast_f(big ? a * 0.25f : t, big ? 0x01800000u : 0u), x);
    } else {
        return __c_asinh_f(x);
    }
}

double asinh_d(double x) { return __c_asinh_d(x); }

// Error found: 2.8 ulp; allowed 4.
float acosh_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        // x is not in [1, max].
        if (as_uint(x) - 0x3f800000u >= 0x40000000u) return x == INFINITY ? x : as_float(0x7fc00000u);
        float d = x - 1.0f;
        float w = __caldera_fma(d, d, d + d);
        // fmax avoids NaN at 1.
        float t = d + fmax(w * __caldera_rsqrt(w), 0.0f);
        int big = x > 0x1p40f;
        return __c_log1p_fast_f(big ? x * 0.25f : t, big ? 0x01800000u : 0u);
    } else {
        return __c_acosh_f(x);
    }
}

double acosh_d(double x) { return __c_acosh_d(x); }

// Error found: 2.4 ulp; allowed 5.
float atanh_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        float a = fabs(x);
        if (!(a < 1.0f)) return a == 1.0f ? x * INFINITY : as_float(0x7fc00000u);
        float r = __caldera_rsqrt(1.0f - a);
        float h = a + a;
        float t = __caldera_fma(h * (a * r), r, h);
        return copysign(0.5f * __c_log1p_fast_f(t, 0u), x);
    } else {
        return __c_atanh_f(x);
    }
}

double atanh_d(double x) { return __c_atanh_d(x); }

// x = n/2 + result exactly, with |result| <= 1/4. The two lowest bits of *q are those of n. The result is NaN
// if x is not finite.
float __c_reduce_pi_fast_f(float x, uint *q)
{
    float y = __caldera_fma(rint(0.5f * x), -2.0f, x);
    float m = __caldera_fma(y, 2.0f, 12582912.0f);
    *q = as_uint(m);
    return __caldera_fma(m - 12582912.0f, -0.5f, y);
}

// Error found: 2.0 ulp; allowed 4.
float sinpi_f(float x)
{
    if (__caldera_has_fast_fma(x)) {
        uint q;
        float r = __c_reduce_pi_fast_f(x, &q) * 3.14159274f;
        float s = __c_sin_fast_f(r), c = __c_cos_fast_f(r);
        float v = as_float(as_uint((q & 1u) != 0u ? c : s) ^ (q << 30 & 0x80000000u));
        return v == 0.0f ? copysign(0.0f, x) : v;
    } else {
        return __c_sinpi_f(x);
    }
}

// Error found: 2.0 ulp; allowed 4.
float cospi_f(float x)
{
    if (__caldera_has_fast_fma(x)) {
        uint q;
        float r = __c_reduce_pi_fast_f(x, &q) * 3.14159274f;
        float s = __c_sin_fast_f(r), c = __c_cos_fast_f(r);
        float v = as_float(as_uint((q & 1u) != 0u ? s : c) ^ ((q + 1u) << 30 & 0x80000000u));
        return v == 0.0f ? 0.0f : v;
    } else {
        return __c_cospi_f(x);
    }
}

// Error found: 4.1 ulp; allowed 6.
float tanpi_f(float x)
{
    if (__caldera_has_rsqrt(x)) {
        float a = fabs(x);
        uint q;
        float p = __c_reduce_pi_fast_f(a, &q);
        float r = __caldera_fma(p, -8.74227766e-8f, p * 3.14159274f);
        float z = r * r;
        float t = __caldera_mad(__p_tanq_f(z), r * z, r);
        // Computes -1 / t as the root of 1 / t^2.
        float c = as_float(as_uint(__caldera_rsqrt(t * t)) | (~as_uint(t) & 0x80000000u));
        float v = (q & 1u) != 0u ? c : t;
        // At multiples of 1/2 the results are 0, infinity, -0, -infinity in turn.
        v = r == 0.0f ? as_float(((q & 1u) != 0u ? 0x7f800000u : 0u) | (q << 30 & 0x80000000u)) : v;
            return as_float(as_uint(v) ^ (as_uint(x) & 0x80000000u));
    } else {
        return __c_tanpi_f(x);
    }
}

// Error found: 4.7 ulp; allowed 6.
float atan2pi_f(float y, float x)
{
    if (__caldera_has_rsqrt(x)) {
        float a = fabs(x), b = fabs(y);
        float r = __c_atan_unit_f(__c_ratio_f(fmin(a, b), fmax(a, b))) * 0.318309873f;
        r = b > a ? 0.5f - r : r;
        r = as_uint(x) >= 0x80000000u ? 1.0f - r : r;
        r = copysign(r, y);
        return x != x || y != y ? x + y : r;
    } else {
        return __c_atan2pi_f(y, x);
    }
}

double atan2pi_d(double y, double x) { return __c_atan2pi_d(y, x); }

// Error found: 1.0 ulp; allowed 2.
float cbrt_f(float x)
{
    if (__caldera_has_exp2(x)) {
        float a = fabs(x);
        // Subnormal numbers, 0, infinity and NaN.
        if (as_uint(a) - 0x00800000u >= 0x7f000000u) return __c_cbrt_f(x);
        float r = native_exp2(native_log2(a) * -0.333333343f);
        float q = r * r;
        float y = a * q;
        float t = __caldera_fma(-y, r, 1.0f);
        return copysign(__caldera_fma(y * t, 0.666666687f, y), x);
    } else {
        return __c_cbrt_f(x);
    }
}

// Uses a float's x^(-1/3) of the significand, and one step of third order. Error found: 0.9 ulp; allowed 2.
double cbrt_d(double x)
{
    if (__caldera_has_exp2(1.0f)) {
        ulong u = as_ulong(x), a = u & 0x7fffffffffffffffUL;
        // Subnormal numbers, 0, infinity and NaN.
        if (a - 0x0010000000000000UL >= 0x7fe0000000000000UL) return __c_cbrt_d(x);
        // x = m 8^q with m in [1, 8).
        uint e = (uint)(a >> 52);
        uint q = e / 3u;
        double m = as_double((a & 0x000fffffffffffffUL) | (ulong)(e + 1023u - 3u * q) << 52);
        double r = native_exp2(native_log2((float)m) * -0.333333343f);
        double h = __caldera_fma(-m, r * r * r, 1.0);
        r = __caldera_fma(r * h, __caldera_fma(h, 0.2222222222222222, 0.3333333333333333), r);
        double y = m * (r * r);
        double t = __caldera_fma(-y, r, 1.0);
        y = __caldera_fma(y * t, 0.6666666666666666, y);
        return as_double(as_ulong(y) + ((ulong)(q - 341u) << 52) | (u & 0x8000000000000000UL));
    } else {
        return __c_cbrt_d(x);
    }
}

// Exact. The computed quotient is at least the exact one and exceeds it by less than 1, so the remainder is
// in [-y, y).
float fmod_f(float x, float y)
{
    if (__caldera_has_rsqrt(x)) {
        float a = fabs(x), b = fabs(y);
        if (b >= 0x1p-100f && b < INFINITY && a < b * 0x1p18f) {
            float s = __caldera_rsqrt(b) * 1.00000048f;
            float r = __caldera_fma(-trunc(a * s * s), b, a);
            return copysign(r < 0.0f ? r + b : r, x);
        }
        return __c_fmod_f(x, y);
    } else {
        return __c_fmod_f(x, y);
    }
}
