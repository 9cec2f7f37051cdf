// Functions of double with few operations (OpenCL 1.2 6.12.2), for devices on which a fused multiply-add of
// doubles is one operation and 1 / sqrt of floats is good (`__caldera_has_rsqrt` of a double says both).
// Elsewhere the implementations for all formats in math_exp.cl and math_trig.cl are used.
//
// An H200 does 64 operations on doubles at a time, 64 on integers, but only 16 conversions, so this code
// converts nothing. A double of known range becomes a float, and back, by a shift and an addition on its
// upper word; integers are taken from sums with 1.5 * 2^52. Rare arguments are detected by the upper word,
// compared as a float, and handled in the only branch.
//
// «Error found» is the largest error over 1.5 million arguments (as in math_exp.cl), with 1 / sqrt of floats
// wrong by one unit in either direction.
//
// A quotient is a product with a reciprocal: the square of a float's 1 / sqrt (19 bits) and one step of third
// order. The other methods are those of math_exp.cl, with fused operations instead of sums in double length.

uint __c_high(double x)
{
    return (uint)(as_ulong(x) >> 32);
}

double __c_of_high(uint high)
{
    return as_double((ulong)high << 32);
}

// An approximation of 1 / sqrt(|x|) with 20 bits, for x in [2^-100, 2^100]. For 0 it is some finite number.
double __c_root_guess_d(double x)
{
    float s = __caldera_rsqrt(as_float((__c_high(x) << 3) + 0x40000000u));
    return __c_of_high((as_uint(s) >> 3) + 0x38000000u);
}

// 1 / x for |x| in [2^-100, 2^100]. Error: 0.51 ulp.
double __c_invert_d(double x)
{
    uint high = __c_high(x);
    float s = __caldera_rsqrt(as_float((high << 3) + 0x40000000u));
    double r = __c_of_high(((as_uint(s * s) >> 3) + 0x38000000u) | (high & 0x80000000u));
    double e = __caldera_fma(-x, r, 1.0);
    return __caldera_fma(r, __caldera_fma(e, e, e), r);
}

// x / y for |y| in [2^-100, 2^100]. Error: 1.1 ulp.
double __c_over_d(double x, double y)
{
    if (__caldera_has_rsqrt(x)) {
        return x * __c_invert_d(y);
    } else {
        return x / y;
    }
}

float __c_over_f(float x, float y) { return x / y; }

// The square root of 0 or of x in [2^-100, 2^100]. Error: 0.9 ulp.
double __c_root_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        double y = __c_root_guess_d(x);
        double d = __caldera_fma(x, y * y, -1.0);
        double g = x * y;
        return __caldera_fma(__caldera_fma(d, 0.375, -0.5), g * d, g);
    } else {
        return __caldera_sqrt(x);
    }
}

float __c_root_f(float x) { return __caldera_sqrt(x); }

// 1 / sqrt of a positive normal number. The first 20 bits come from the device's 1 / sqrt of a float in
// [1/2, 2), whose bits are the exponent's lowest bit and the upper bits of the fraction; integer arithmetic
// halves the exponent. One step of third order follows, y + y d (3/8 d - 1/2) with d = x y^2 - 1, in which
// y^2 is exact. Nothing is negated.
double __c_rsqrt_normal_d(double x)
{
    uint high = __c_high(x);
    float f = as_float(((uint)(as_ulong(x) >> 29) & 0x00FFFFFFu) | 0x3F000000u);
    double y = __c_of_high((as_uint(__caldera_rsqrt(f)) >> 3) - (high >> 1 & 0x7FF00000u) + 0x57F00000u);
    double d = __caldera_fma(x, y * y, -1.0);
    return __caldera_fma(__caldera_fma(d, 0.375, -0.5), y * d, y);
}

// The correctly rounded square root of a number in [2^-950, 2^1021], where no product is subnormal. It is the
// product with 1 / sqrt, corrected by a fused operation: its residual times half of 1 / sqrt (Markstein,
// Computation of elementary functions on the IBM RISC System/6000 processor, 1990).
double __c_sqrt_normal_d(double x)
{
    double y = __c_rsqrt_normal_d(x);
    double g = x * y;
    return __caldera_fma(__caldera_fma(-g, g, x), 0.5 * y, g);
}

// Used where the device's own square root takes twice the time. Correctly rounded, as is the device's own.
double sqrt_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        uint high = __c_high(x);
        if (high - 0x04900000u < 0x7b300000u) return __c_sqrt_normal_d(x);
        // Zeros, infinity and NaN.
        if (x == 0.0 || high - 0x7ff00000u < 0x00100000u) return x;
        if (high >= 0x80000000u) return as_double(0x7ff8000000000000UL);
        int large = x > 1.0;
        return __c_sqrt_normal_d(x * (large ? 0x1p-200 : 0x1p200)) * (large ? 0x1p100 : 0x1p-100);
    } else {
        return __caldera_sqrt(x);
    }
}

// 1 / sqrt of a number that is not positive and normal. 0x7ff00000 minus the upper word is infinite for
// zeros, with their sign, and 0 for infinity. Small numbers are multiplied by 2^108 first. The device's own
// 1 / sqrt of doubles is not used, because an H200's driver would compute it for all arguments and select
// afterwards.
double __c_rsqrt_rare_d(double x)
{
    double small = __c_rsqrt_normal_d(x * 0x1p108) * 0x1p54;
    double other = x == 0.0 || x > 1.0 ? __c_of_high(0x7ff00000u - __c_high(x)) : as_double(0x7ff8000000000000UL);
    return x > 0.0 && x < 1.0 ? small : other;
}

// Error found: 0.51 ulp; allowed 2.
double rsqrt_d(double x)
{
    if (__caldera_has_rsqrt(x)) {
        double r = __c_rsqrt_normal_d(x);
        if (__c_high(x) - 0x00100000u >= 0x7fe00000u) r = __c_rsqrt_rare_d(x);
        return r;
    } else {
        return __c_rsqrt_d(x);
    }
}

// p * 2^k for p near 1; `rare` says that k may be outside the range of exponents. The rare case is a single piece of
// straight-line code. NaN has made p NaN.
double __c_exp_result_d(double p, uint k, double x, int rare, double most, double least)
{
    if (rare) {
        double r = __c_scale_d(p, (int)k);
        r = x > most ? as_double(0x7ff0000000000000UL) : r;
        return x < least ? 0.0 : r;
    }
    return as_double(as_ulong(p) + ((ulong)(k << 20) << 32));
}

// Computes exp(x) as x = n ln 2 + r, whose first product is exact. The result does not yet include 2^n. The
// low bits of the sum are n.
double __c_exp_parts_d(double x, uint *n)
{
    double t = __caldera_fma(x, 1.4426950408889634, 0x1.8p52);
    *n = (uint)as_ulong(t);
    double m = t - 0x1.8p52;
    double r = __caldera_fma(m, -0.6931471805599453, x);
    return __caldera_fma(m, -2.3190468138462996e-17, r);
}

// exp(r) for |r| <= ln(2)/2.
double __c_exp_poly_d(double r)
{
    return __caldera_fma(__caldera_fma(__p_expq_d(r), r, 1.0), r, 1.0);
}

// Error found: 0.88 ulp; allowed 3.
double exp_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        uint n;
        double p = __c_exp_poly_d(__c_exp_parts_d(x, &n));
        int rare = !(fabs(as_float(__c_high(x))) < as_float(0x40861000u));
        return __c_exp_result_d(p, n, x, rare, 709.782712893384, -746.0);
    } else {
        return __c_exp_d(x);
    }
}

// Error found: 0.94 ulp; allowed 3.
double exp2_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        double t = x + 0x1.8p52;
        double p = __c_exp_poly_d((x - (t - 0x1.8p52)) * 0.6931471805599453);
        int rare = !(fabs(as_float(__c_high(x))) < as_float(0x408fe000u));
        return __c_exp_result_d(p, (uint)as_ulong(t), x, rare, 1023.9999999999999, -1080.0);
    } else {
        return __c_exp2_d(x);
    }
}

// Error found: 1.2 ulp; allowed 3.
double exp10_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        double t = __caldera_fma(x, 3.321928094887362, 0x1.8p52);
        double m = t - 0x1.8p52;
        double r = __caldera_fma(m, -0.3010299956639812, x);
        r = __caldera_fma(m, 2.8037281277851704e-18, r);
        double p = __c_exp_poly_d(r * 2.302585092994046);
        int rare = !(fabs(as_float(__c_high(x))) < as_float(0x40732000u));
        return __c_exp_result_d(p, (uint)as_ulong(t), x, rare, 308.25471555991675, -324.0);
    } else {
        return __c_exp10_d(x);
    }
}

// exp(x) * 2^shift for x within the range of exponents.
double __c_exp_shift_d(double x, int shift)
{
    if (__caldera_has_fast_fma(x)) {
        uint n;
        double p = __c_exp_poly_d(__c_exp_parts_d(x, &n));
        return __c_scale_d(p, (int)n + shift);
    } else {
        return __c_exp_shift_plain_d(x, shift);
    }
}

// 2^n (exp(r) - 1) + (2^n - 1), computed in halves. Error found: 1.83 ulp; allowed 3.
double expm1_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        uint n;
        double r = __c_exp_parts_d(x, &n);
        double q = __caldera_fma(__p_expq_d(r) * r, r, r);
        if (!(fabs(as_float(__c_high(x))) < as_float(0x40861000u))) {
            if (x < 0.0) return -1;
            return __c_exp_result_d(q + 1.0, n, x, 1, 709.782712893384, 0.0);
        }
        double t = __c_of_high((n << 20) + 0x3fe00000u);
        double s = __caldera_fma(t, q, t - 0.5);
        return copysign(n == 0u ? q : s + s, x);
    } else {
        return __c_expm1_d(x);
    }
}

// log(1 + x) from the exponent of the rounded sum and the remainder of x itself, which is rounded only once
// (as in fdlibm, but without a correction).
// Error found: 1.28 ulp; allowed 2.
double log1p_d(double x)
{
    if (__caldera_has_fast_fma(x)) {
        uint high = __c_high(x);
        // -1 < x < 2^1000
        if (high < 0x7e700000u || high - 0x80000000u < 0x3ff00000u) {
            uint e = (__c_high(1.0 + x) - 0x3fe6a09eu) & 0xfff00000u;
            double s = __c_of_high(0x3ff00000u - e);
            double r = __c_log_kernel_d(__caldera_fma(x, s, s - 1.0), (int)e >> 20, 0.0);
            return copysign(r, x);
        }
        return __c_log_d(x == -1.0 ? 0.0 : x);
    } else {
        return __c_log1p_d(x);
    }
}

double log_d(double x) { return __c_log_d(x); }
double log2_d(double x) { return __c_log2_d(x); }
double log10_d(double x) { return __c_log10_d(x); }

// x = m * 2^k with m approximately in [sqrt(1/2), sqrt(2)), for positive finite x, including subnormals. It
// uses the upper word.
double __c_split_d(double x, int *k)
{
    ulong u = as_ulong(x);
    int subnormal = 0;
    if (u < 0x0010000000000000UL) {
        // With the implicit bit in place, the exponent field reads 1, as for the smallest normal number.
        subnormal = (int)clz(u) - 11;
        u = u << subnormal;
    }
    uint high = (uint)(u >> 32) + (0x3ff00000u - 0x3fe6a09eu);
    *k = (int)(high >> 20) - 1023 - subnormal;
    return as_double((ulong)((high & 0x000fffffu) + 0x3fe6a09eu) << 32 | (u & 0xffffffffUL));
}

// Whether y is in [2^-100, 2^100] and |x| is less than about 2^49 times as large, judged by the upper words
// of the magnitudes.
int __c_near_multiples_d(double x, double y)
{
    uint a = __c_high(x) & 0x7fffffffu, b = __c_high(y) & 0x7fffffffu;
    return b - 0x39b00000u < 0x0c800000u && a <= b + 0x03100000u;
}

// a - n b, where n is the integer nearest to a / b or one next to it. The remainder is exact, and at most
// slightly more than b / 2. *n is the low word of the sum that rounds the quotient. b > 0.
double __c_nearest_rest_d(double a, double b, uint *n)
{
    double t = __caldera_fma(a, __c_invert_d(b), 0x1.8p52);
    *n = (uint)as_ulong(t);
    return __caldera_fma(t - 0x1.8p52, -b, a);
}

// Exact.
double fmod_d(double x, double y)
{
    if (__caldera_has_rsqrt(x)) {
        if (!__c_near_multiples_d(x, y)) return __c_fmod_d(x, y);
        uint n;
        double b = fabs(y), r = __c_nearest_rest_d(fabs(x), b, &n);
        return copysign(r < 0.0 ? r + b : r, x);
    } else {
        return __c_fmod_d(x, y);
    }
}

// Exact. If the remainder is more than half of the divisor, or exactly half with an odd quotient, one more
// step is needed.
double remquo_d(double x, double y, int *quo)
{
    if (__caldera_has_rsqrt(x)) {
        if (!__c_near_multiples_d(x, y)) return __c_remquo_d(x, y, quo);
        uint n;
        double b = fabs(y), r = __c_nearest_rest_d(fabs(x), b, &n);
        double twice = fabs(r) * 2.0;
        if (twice > b || (twice == b && (n & 1u) != 0u)) {
            n = r < 0.0 ? n - 1u : n + 1u;
            r = r < 0.0 ? r + b : r - b;
        }
        int low = (int)(n & 0x7fu);
        *quo = ((__c_high(x) ^ __c_high(y)) & 0x80000000u) != 0u ? -low : low;
        // The addition turns -0 into +0, so that a zero gets the sign of x.
        return as_double(as_ulong(r + 0.0) ^ (as_ulong(x) & 0x8000000000000000UL));
    } else {
        return __c_remquo_d(x, y, quo);
    }
}

// If both magnitudes are equal, the result is the positive number if there is one: the sign bits are combined
// by `and`. Doubles are never flushed to zero.
double maxmag_d(double x, double y)
{
    double r = fabs(x) > fabs(y) || y != y ? x : y;
    uint high = fabs(x) == fabs(y) ? __c_high(x) & __c_high(y) : __c_high(r);
    return as_double((ulong)high << 32 | (as_ulong(r) & 0xffffffffUL));
}

double minmag_d(double x, double y)
{
    double r = fabs(x) < fabs(y) || y != y ? x : y;
    uint high = fabs(x) == fabs(y) ? __c_high(x) | __c_high(y) : __c_high(r);
    return as_double((ulong)high << 32 | (as_ulong(r) & 0xffffffffUL));
}
