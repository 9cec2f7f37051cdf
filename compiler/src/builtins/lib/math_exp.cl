// Exponential, logarithm and power functions (OpenCL 1.2 6.12.2), with one text for float and double.
// GENC(a, b) is a in float and b in double; `f_GEN` is f_f or f_d; GEN_* are properties of the format. The
// code assumes correct rounding only of + - * / and exact integer operations; it relies neither on a fused
// multiply-add nor on tables.
//
// Method of exp: Cody and Waite, Software Manual for the Elementary Functions (1980): x = n ln 2 + r, a
// polynomial in r, scaling by 2^n in two steps. Method of log: Tang's and fdlibm's form,
// 2 atanh(f / (2 + f)). pow: log2 in double-length arithmetic (Dekker 1971), so that its product with y has an
// error below 2^-28 in float and 2^-58 in double.
//
// «Error found» is the largest error over 800,000 arguments (random bits, the interesting intervals, special
// values) against a 113-bit library, on a host whose division and square root are correctly rounded. Where
// quotients and roots of double are those of math_double.cl, the errors of expm1 and other functions are
// stated there, and the following apply here: pow 1.33, sinh 2.3, cosh 1.23, tanh 2.95, asinh 1.63, acosh
// 2.0, atanh 1.76, asin 2.47, acos 1.55, erfc 5.1, tgamma 5.1.

// x * 2^n for |n| at most twice the largest exponent. Only the last product rounds.
elemtype __c_scale_fp(elemtype x, int n)
{
    int a = n >> 1;
    int b = n - a;
    return x * as_elemtype((uelemtype)(a + GEN_BIAS) << GEN_MANT) * as_elemtype((uelemtype)(b + GEN_BIAS) << GEN_MANT);
}

// a * b = result + *err exactly (Dekker's product, or a fused multiply-add where the device has one).
elemtype __c_two_prod_fp(elemtype a, elemtype b, elemtype *err)
{
    elemtype p = a * b;
    if (__caldera_has_fused_fma(a)) {
        *err = __caldera_fma(a, b, -p);
        return p;
    }
    uelemtype mask = ~((((uelemtype)1) << GENC(12, 27)) - 1);
    elemtype ah = as_elemtype(as_uelemtype(a) & mask);
    elemtype bh = as_elemtype(as_uelemtype(b) & mask);
    elemtype al = a - ah;
    elemtype bl = b - bh;
    *err = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

// a + b = result + *err exactly (Knuth's sum).
elemtype __c_two_sum_fp(elemtype a, elemtype b, elemtype *err)
{
    elemtype s = a + b;
    elemtype t = s - a;
    *err = (a - (s - t)) + (b - t);
    return s;
}

// exp(r + e) for |r| <= ln(2)/2 and tiny e.
elemtype __c_exp_small_fp(elemtype r, elemtype e)
{
    return (elemtype)1 + (r + (e + r * r * __p_exp_GEN(r)));
}

// exp(x) * 2^shift for x within the range of exponents.
elemtype __c_exp_shift_plain_fp(elemtype x, int shift)
{
    elemtype n = rint(x * GENC(1.4426950216293335f, 1.4426950408889634));
    elemtype r = x - n * GENC(0.693115234375f, 0.6931471805592082);
    elemtype lo = n * GENC(3.194618329871446e-05f, 7.371002565167799e-13);
    elemtype hi = r - lo;
    elemtype e = (r - hi) - lo;
    return __c_scale_GEN(__c_exp_small_GEN(hi, e), (int)n + shift);
}

float __c_exp_shift_f(float x, int shift) { return __c_exp_shift_plain_f(x, shift); }

// Error found: 0.92 ulp in float, 0.84 in double; allowed 3.
elemtype __c_exp_fp(elemtype x)
{
    if (x != x) return x;
    if (x > GENC(88.722839f, 709.782712893384)) return as_elemtype(GEN_INF);
    if (x < GENC(-104.0f, -746.0)) return 0;
    return __c_exp_shift_plain_GEN(x, 0);
}

// Error found: 1.00 ulp in float, 0.99 in double; allowed 3.
elemtype __c_exp2_fp(elemtype x)
{
    if (x != x) return x;
    if (x >= GENC(128.0f, 1024.0)) return as_elemtype(GEN_INF);
    if (x < GENC(-151.0f, -1080.0)) return 0;
    elemtype n = rint(x);
    elemtype t = x - n;
    elemtype e = t * GENC(-1.9046542121259336e-09f, 2.3190468138462996e-17);
    return __c_scale_GEN(__c_exp_small_GEN(t * GENC(0.6931471824645996f, 0.6931471805599453), e), (int)n);
}

// Error found: 1.18 ulp in float, 1.20 in double; allowed 3.
elemtype __c_exp10_fp(elemtype x)
{
    if (x != x) return x;
    if (x > GENC(38.53184f, 308.25471555991675)) return as_elemtype(GEN_INF);
    if (x < GENC(-46.0f, -324.0)) return 0;
    elemtype n = rint(x * GENC(3.321928024291992f, 3.321928094887362));
    elemtype r = x - n * GENC(0.301025390625f, 0.30102999566361177);
    r = r - n * GENC(4.605039066518657e-06f, 3.694239077158931e-13);
    elemtype e = r * GENC(-3.1975435632602967e-08f, -2.1707562233822494e-16);
    return __c_scale_GEN(__c_exp_small_GEN(r * GENC(2.3025851249694824f, 2.302585092994046), e), (int)n);
}

// Error found: 1.80 ulp in float, 1.40 in double; allowed 3.
elemtype __c_expm1_fp(elemtype x)
{
    if (x != x) return x;
    if (x > GENC(88.722839f, 709.782712893384)) return as_elemtype(GEN_INF);
    if (x < GENC(-20.0f, -40.0)) return -1;
    if (fabs(x) < GENC(1e-9f, 1e-18)) return x;
    elemtype n = rint(x * GENC(1.4426950216293335f, 1.4426950408889634));
    elemtype r = x - n * GENC(0.693115234375f, 0.6931471805592082);
    elemtype lo = n * GENC(3.194618329871446e-05f, 7.371002565167799e-13);
    elemtype hi = r - lo;
    elemtype e = (r - hi) - lo;
    elemtype q = hi + (e + hi * hi * __p_exp_GEN(hi));
    int k = (int)n;
    if (k == 0) return q;
    if (k > GEN_MANT + 2) return __c_scale_GEN((elemtype)1 + q, k);
    elemtype t = __c_scale_GEN((elemtype)1, -k);
    if (k < 0) {
        t = __c_scale_GEN((elemtype)1, k);
        return (t - (elemtype)1) + t * q;
    }
    return __c_scale_GEN(((elemtype)1 - t) + q, k);
}

// x = m * 2^k with m in [sqrt(1/2), sqrt(2)), for positive finite x, including subnormals.
elemtype __c_split_fp(elemtype x, int *k)
{
    uelemtype u = as_uelemtype(x);
    int k0 = 0;
    if (u < GEN_ONE_MANT) {
        // With the implicit bit in place, the exponent field reads 1, as for the smallest normal number.
        int shift = (int)clz(u) - (GEN_BITS - 1 - GEN_MANT);
        u = u << shift;
        k0 = -shift;
    }
    uelemtype half = GENC(0x3f3504f3u, 0x3fe6a09e667f3bcdUL);
    u += as_uelemtype((elemtype)1) - half;
    *k = (int)(u >> GEN_MANT) - GEN_BIAS + k0;
    return as_elemtype((u & (GEN_ONE_MANT - (uelemtype)1)) + half);
}

// log(1 + f) + k ln 2 + c for f in [sqrt(1/2) - 1, sqrt(2) - 1] and tiny c.
elemtype __c_log_kernel_fp(elemtype f, int k, elemtype c)
{
    elemtype s = __c_over_GEN(f, (elemtype)2 + f);
    elemtype z = s * s;
    elemtype r = (elemtype)2 * z * __p_log_GEN(z);
    elemtype h = (elemtype)0.5f * f * f;
    elemtype n = (elemtype)k;
    elemtype lo = __caldera_mad(s, h + r, __caldera_mad(n, GENC(3.194618329871446e-05f, 7.371002565167799e-13), c));
    return __caldera_mad(n, GENC(0.693115234375f, 0.6931471805592082), f - (h - lo));
}

// The results of logarithms for arguments that are not positive finite numbers.
elemtype __c_log_special_fp(elemtype x)
{
    if (x == (elemtype)0) return as_elemtype(GEN_NEG_INF);
    if (x != x || x > (elemtype)0) return x;
    return as_elemtype(GEN_QUIET);
}

// Whether x is a positive finite number. Integer arithmetic makes this correct also where subnormals compare
// as zero.
int __c_positive_fp(elemtype x)
{
    uelemtype u = as_uelemtype(x);
    return u - (uelemtype)1 < GEN_INF - (uelemtype)1;
}

// Error found: 0.81 ulp in float, 0.79 in double; allowed 3.
elemtype __c_log_fp(elemtype x)
{
    if (!__c_positive_GEN(x)) return __c_log_special_GEN(x);
    int k;
    elemtype m = __c_split_GEN(x, &k);
    return __c_log_kernel_GEN(m - (elemtype)1, k, (elemtype)0);
}

// Error found: 1.68 ulp in float, 1.61 in double; allowed 3.
elemtype __c_log2_fp(elemtype x)
{
    if (!__c_positive_GEN(x)) return __c_log_special_GEN(x);
    int k;
    elemtype m = __c_split_GEN(x, &k);
    elemtype y = __c_log_kernel_GEN(m - (elemtype)1, 0, (elemtype)0);
    elemtype lo = y * GENC(1.925963033500011e-08f, 2.0355273740931033e-17);
    return (elemtype)k + (y * GENC(1.4426950216293335f, 1.4426950408889634) + lo);
}

// Error found: 1.87 ulp in float, 1.73 in double; allowed 3.
elemtype __c_log10_fp(elemtype x)
{
    if (!__c_positive_GEN(x)) return __c_log_special_GEN(x);
    int k;
    elemtype m = __c_split_GEN(x, &k);
    elemtype y = __c_log_kernel_GEN(m - (elemtype)1, 0, (elemtype)0);
    elemtype n = (elemtype)k;
    elemtype lo = n * GENC(4.605039066518657e-06f, 3.694239077158931e-13) + y * GENC(-1.0103049952192578e-08f, 1.098319650216765e-17);
    return n * GENC(0.301025390625f, 0.30102999566361177) + (y * GENC(0.4342944920063019f, 0.4342944819032518) + lo);
}

// Error found: 0.81 ulp in float, 0.78 in double; allowed 2.
elemtype __c_log1p_fp(elemtype x)
{
    if (x != x || as_uelemtype(x) == GEN_INF) return x;
    if (x <= (elemtype)-1) return x == (elemtype)-1 ? as_elemtype(GEN_NEG_INF) : as_elemtype(GEN_QUIET);
    if (fabs(x) < GENC(3e-8f, 5e-17)) return x;
    elemtype u = (elemtype)1 + x;
    int k;
    elemtype m = __c_split_GEN(u, &k);
    if (k == 0) return __c_log_kernel_GEN(x, 0, (elemtype)0);
    // c is the rounding error of the sum 1 + x.
    elemtype c = x > (elemtype)1 ? (elemtype)1 - (u - x) : x - (u - (elemtype)1);
    c = k > GEN_MANT + 2 ? (elemtype)0 : c / u;
    return __c_log_kernel_GEN(m - (elemtype)1, k, c);
}

// ilogb and logb read the exponent; subnormals are normalized by counting leading zeros. Exact.
int __c_exponent_fp(uelemtype u)
{
    if (u < GEN_ONE_MANT) return GEN_BITS - GEN_BIAS - GEN_MANT - (int)clz(u);
    return (int)(u >> GEN_MANT) - GEN_BIAS;
}

int ilogb_fp(elemtype x)
{
    uelemtype u = as_uelemtype(x) & ~GEN_SIGN;
    if (u - GEN_ONE_MANT < GEN_INF - GEN_ONE_MANT) return (int)(u >> GEN_MANT) - GEN_BIAS;
    if (u == (uelemtype)0) return FP_ILOGB0;
    if (u > GEN_INF) return FP_ILOGBNAN;
    if (u == GEN_INF) return 0x7fffffff;
    return __c_exponent_GEN(u);
}

elemtype logb_fp(elemtype x)
{
    uelemtype u = as_uelemtype(x) & ~GEN_SIGN;
    if (u - GEN_ONE_MANT < GEN_INF - GEN_ONE_MANT) return (elemtype)((int)(u >> GEN_MANT) - GEN_BIAS);
    if (u == (uelemtype)0) return as_elemtype(GEN_NEG_INF);
    if (u > GEN_INF) return x;
    if (u == GEN_INF) return as_elemtype(GEN_INF);
    return (elemtype)__c_exponent_GEN(u);
}

// log2(x) = result + *lo for positive finite x, with a relative error below 2^-40 (2^-66).
elemtype __c_log2_split_fp(elemtype x, elemtype *lo)
{
    int k;
    elemtype m = __c_split_GEN(x, &k);
    elemtype f = m - (elemtype)1;
    // s = f / (2 + f) in double length.
    elemtype d = (elemtype)2 + f;
    elemtype dl = f - (d - (elemtype)2);
    elemtype sh = __c_over_GEN(f, d);
    elemtype pe;
    elemtype p = __c_two_prod_GEN(sh, d, &pe);
    elemtype sl = __c_over_GEN(((f - p) - pe) - sh * dl, d);
    // t = s^2 / 3 + s^4 tail(s^2)
    elemtype zl;
    elemtype zh = __c_two_prod_GEN(sh, sh, &zl);
    zl += (elemtype)2 * sh * sl;
    elemtype tl;
    elemtype th = __c_two_prod_GEN(zh, GENC(0.3333333432674408f, 0.3333333333333333), &tl);
    tl += zh * GENC(-9.934107758624577e-09f, 1.850371707708594e-17) + zl * GENC(0.33333334f, 0.3333333333333333);
    tl += zh * zh * __p_logtail_GEN(zh);
    // a = s + s t
    elemtype ul;
    elemtype uh = __c_two_prod_GEN(sh, th, &ul);
    ul += sh * tl + sl * th;
    elemtype ah = sh + uh;
    elemtype al = ((sh - ah) + uh) + (sl + ul);
    // Multiply by 2 / ln 2.
    elemtype ql;
    elemtype qh = __c_two_prod_GEN(ah, GENC(2.885390043258667f, 2.8853900817779268), &ql);
    ql += ah * GENC(3.851926067000022e-08f, 4.0710547481862066e-17) + al * GENC(2.885390043258667f, 2.8853900817779268);
    elemtype n = (elemtype)k;
    elemtype h = n + qh;
    elemtype l = ((n - h) + qh) + ql;
    elemtype r = h + l;
    *lo = (h - r) + l;
    return r;
}

// 2^(p + pe) = result * 2^*n with a result near 1. p is clamped to values that overflow or underflow anyway.
elemtype __c_exp2_dd_fp(elemtype p, elemtype pe, int *n)
{
    elemtype limit = GENC(400.0f, 3000.0);
    if (!(fabs(p) < limit)) {
        *n = p > (elemtype)0 ? GENC(400, 3000) : GENC(-400, -3000);
        return 1;
    }
    elemtype k = rint(p);
    elemtype r = (p - k) + pe;
    *n = (int)k;
    elemtype e = r * GENC(-1.9046542121259336e-09f, 2.3190468138462996e-17);
    return __c_exp_small_GEN(r * GENC(0.6931471824645996f, 0.6931471805599453), e);
}

// m * 2^n with overflow and underflow for any n.
elemtype __c_scale_any_fp(elemtype m, int n)
{
    if (n > GENC(130, 1030)) return m * as_elemtype(GEN_INF);
    // |m| may be as large as 2^60: Gamma's is, near a pole.
    if (n < GENC(-220, -1150)) return m * (elemtype)0;
    return __c_scale_GEN(m, n);
}

// x^(yh + yl) for positive finite x other than 1.
elemtype __c_pow_dd_fp(elemtype x, elemtype yh, elemtype yl)
{
    elemtype limit = GENC(0x1p40f, 0x1p75);
    if (yh > limit) yh = limit;
    if (yh < -limit) yh = -limit;
    elemtype l;
    elemtype h = __c_log2_dd_GEN(x, &l);
    elemtype pe;
    elemtype p = __c_two_prod_GEN(yh, h, &pe);
    pe += yh * l + yl * h;
    int n;
    elemtype m = __c_exp2_dd_GEN(p, pe, &n);
    return __c_scale_any_GEN(m, n);
}

// 0 if y is not an integer, 1 if it is odd, 2 if it is even.
int __c_parity_fp(elemtype y)
{
    elemtype a = fabs(y);
    if (a >= GENC(0x1p24f, 0x1p53)) return 2;
    if (floor(a) != a) return 0;
    elemtype h = a * (elemtype)0.5f;
    return floor(h) == h ? 2 : 1;
}

// pow(x, y) with its special cases. `r` is |x|^y; in the ordinary case it is the magnitude of the result.
elemtype __c_pow_special_fp(elemtype x, elemtype y, elemtype r)
{
    uelemtype ux = as_uelemtype(x), uy = as_uelemtype(y);
    uelemtype ax = ux & ~GEN_SIGN, ay = uy & ~GEN_SIGN;
    if (ay == (uelemtype)0 || ux == as_uelemtype((elemtype)1)) return 1;
    if (ax > GEN_INF) return x;
    if (ay > GEN_INF) return y;
    int negative = (ux & GEN_SIGN) != (uelemtype)0;
    int up = (uy & GEN_SIGN) == (uelemtype)0;
    int parity = __c_parity_GEN(y);
    uelemtype sign = negative && parity == 1 ? GEN_SIGN : (uelemtype)0;
    if (ay == GEN_INF) {
        if (ax == as_uelemtype((elemtype)1)) return 1;
        return (ax > as_uelemtype((elemtype)1)) == up ? as_elemtype(GEN_INF) : (elemtype)0;
    }
    if (ax == (uelemtype)0 || ax == GEN_INF) {
        return as_elemtype(((ax == (uelemtype)0) == up ? (uelemtype)0 : GEN_INF) | sign);
    }
    if (negative && parity == 0) return as_elemtype(GEN_QUIET);
    if (ax == as_uelemtype((elemtype)1)) return as_elemtype(ax | sign);
    return as_elemtype(as_uelemtype(r) | sign);
}

// Error found: 1.11 ulp in float, 1.12 in double; allowed 16.
elemtype __c_pow_fp(elemtype x, elemtype y)
{
    return __c_pow_special_GEN(x, y, __c_pow_dd_GEN(fabs(x), y, (elemtype)0));
}

// Error found: 1.10 ulp in float, 1.12 in double; allowed 16.
elemtype powr_fp(elemtype x, elemtype y)
{
    uelemtype ux = as_uelemtype(x);
    uelemtype ax = ux & ~GEN_SIGN, ay = as_uelemtype(y) & ~GEN_SIGN;
    uelemtype one = as_uelemtype((elemtype)1);
    if (ax > GEN_INF) return x;
    if (ay > GEN_INF) return y;
    if (ux > GEN_SIGN) return as_elemtype(GEN_QUIET);
    // 0^0, inf^0 and 1^inf are NaN.
    if (ay == (uelemtype)0 && (ax == (uelemtype)0 || ax == GEN_INF)) return as_elemtype(GEN_QUIET);
    if (ay == GEN_INF && ax == one) return as_elemtype(GEN_QUIET);
    return pow_GEN(as_elemtype(ax), y);
}

// Error found: 1.11 ulp in float, 1.07 in double; allowed 16.
elemtype pown_fp(elemtype x, int n)
{
    uelemtype ux = as_uelemtype(x);
    uelemtype ax = ux & ~GEN_SIGN;
    if (n == 0) return 1;
    if (ax > GEN_INF) return x;
    uelemtype sign = (n & 1) != 0 ? ux & GEN_SIGN : (uelemtype)0;
    if (ax == (uelemtype)0 || ax == GEN_INF) {
        return as_elemtype(((ax == (uelemtype)0) == (n > 0) ? (uelemtype)0 : GEN_INF) | sign);
    }
    if (ax == as_uelemtype((elemtype)1)) return as_elemtype(ax | sign);
    elemtype yh = (elemtype)n;
    elemtype yl = (elemtype)((long)n - (long)yh);
    elemtype r = __c_pow_dd_GEN(as_elemtype(ax), yh, yl);
    return as_elemtype(as_uelemtype(r) | sign);
}

// Error found: 1.08 ulp in float, 1.05 in double; allowed 16.
elemtype rootn_fp(elemtype x, int n)
{
    uelemtype ux = as_uelemtype(x);
    uelemtype ax = ux & ~GEN_SIGN;
    if (n == 0) return as_elemtype(GEN_QUIET);
    if (ax > GEN_INF) return x;
    int odd = (n & 1) != 0;
    if (ux > GEN_SIGN && !odd) return as_elemtype(GEN_QUIET);
    uelemtype sign = odd ? ux & GEN_SIGN : (uelemtype)0;
    if (ax == (uelemtype)0 || ax == GEN_INF) {
        return as_elemtype(((ax == (uelemtype)0) == (n > 0) ? (uelemtype)0 : GEN_INF) | sign);
    }
    elemtype l;
    elemtype h = __c_log2_dd_GEN(as_elemtype(ax), &l);
    elemtype nh = (elemtype)n;
    elemtype nl = (elemtype)((long)n - (long)nh);
    elemtype q = __c_over_GEN(h, nh);
    elemtype pe;
    elemtype p = __c_two_prod_GEN(q, nh, &pe);
    elemtype ql = __c_over_GEN((((h - p) - pe) - q * nl) + l, nh);
    int k;
    elemtype m = __c_exp2_dd_GEN(q, ql, &k);
    elemtype r = __c_scale_any_GEN(m, k);
    return as_elemtype(as_uelemtype(r) | sign);
}

// Halley's iteration from an initial guess by the exponent (Kahan); the last step uses a residual.
// Error found: 0.93 ulp in float, 0.95 in double; allowed 2.
elemtype __c_cbrt_fp(elemtype x)
{
    uelemtype ux = as_uelemtype(x);
    uelemtype ax = ux & ~GEN_SIGN;
    if (ax == (uelemtype)0 || ax >= GEN_INF) return x;
    int e = __c_exponent_GEN(ax);
    // q is the floor of e / 3, and x = m * 2^(3q) with m in [1, 8).
    int q = (e + 3072) / 3 - 1024;
    uelemtype frac = ax;
    if (ax < GEN_ONE_MANT) frac = ax << ((int)clz(ax) - (GEN_BITS - 1 - GEN_MANT));
    frac = frac & (GEN_ONE_MANT - (uelemtype)1);
    elemtype m = as_elemtype(frac | ((uelemtype)(e - 3 * q + GEN_BIAS) << GEN_MANT));
    elemtype y = as_elemtype(as_uelemtype(m) / (uelemtype)3 + GENC(0x2a555556u, 0x2aa0000000000000UL));
    for (int i = 0; i < GENC(2, 3); i++) {
        elemtype y3 = y * y * y;
        y = y + y * ((m - y3) / ((elemtype)2 * y3 + m));
    }
    return as_elemtype(as_uelemtype(__c_scale_GEN(y, q)) | (ux & GEN_SIGN));
}

// Error found: 1.14 ulp in float, 1.16 in double; allowed 4.
elemtype hypot_fp(elemtype x, elemtype y)
{
    elemtype a = fabs(x), b = fabs(y);
    elemtype big = fmax(a, b);
    // In this range the squares neither overflow nor underflow. The other argument may be NaN.
    if (big >= GENC(0x1p-50f, 0x1p-400) && big <= GENC(0x1p60f, 0x1p500)) return sqrt_GEN(__caldera_mad(a, a, b * b));
    if (a == as_elemtype(GEN_INF) || b == as_elemtype(GEN_INF)) return as_elemtype(GEN_INF);
    if (a != a) return x;
    if (b != b) return y;
    int large = big > (elemtype)1;
    elemtype scale = large ? GENC(0x1p-90f, 0x1p-700) : GENC(0x1p90f, 0x1p700);
    elemtype back = large ? GENC(0x1p90f, 0x1p700) : GENC(0x1p-90f, 0x1p-700);
    a *= scale;
    b *= scale;
    return sqrt_GEN(a * a + b * b) * back;
}

elemtype sqrt_fp(elemtype x)
{
    return __caldera_sqrt(x);
}

// Error found: 1.45 ulp in double (the device's own may be slower, and its error is not bounded); allowed 2.
// Where a fused multiply-add is one operation, math_double.cl has another `rsqrt_d`.
elemtype __c_rsqrt_fp(elemtype x)
{
    // A float's 1 / sqrt, with an error of 2^-21, and one step of third order.
    if (GENC(0, 1) && x > GENC(0, 0x1p-120) && x < GENC(0, 0x1p120)) {
        elemtype y = native_rsqrt((float)x);
        elemtype r = (elemtype)1 - x * y * y;
        return y + y * r * ((elemtype)0.5 + (elemtype)0.375 * r);
    }
    // A driver was seen to treat a double as infinite if only its lower word makes it NaN.
    if (GENC(0, 1) && x != x) return x;
    return __caldera_rsqrt(x);
}

// Error found: 2.18 ulp in float, 2.09 in double; allowed 4.
elemtype __c_sinh_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a > GENC(1e-4f, 1e-9))) return x;
    elemtype r;
    if (a < (elemtype)1) {
        elemtype t = expm1_GEN(a);
        r = (elemtype)0.5f * (t + __c_over_GEN(t, t + (elemtype)1));
    } else {
        if (a > GENC(90.0f, 712.0)) return x * as_elemtype(GEN_INF);
        elemtype h = __c_exp_shift_GEN(a, -1);
        // If h is large, the other exponential is too small to matter.
        r = a > (elemtype)22 ? h : h - __c_over_GEN((elemtype)0.25f, h);
    }
    return copysign(r, x);
}

// Error found: 1.33 ulp in float, 1.22 in double; allowed 4.
elemtype __c_cosh_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a <= GENC(90.0f, 712.0))) return a * as_elemtype(GEN_INF);
    elemtype h = __c_exp_shift_GEN(a, -1);
    return a > (elemtype)22 ? h : h + __c_over_GEN((elemtype)0.25f, h);
}

// Error found: 2.24 ulp in float, 2.23 in double; allowed 5.
elemtype __c_tanh_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a > GENC(1e-4f, 1e-9))) return x;
    if (a > GENC(10.0f, 22.0)) return copysign((elemtype)1, x);
    elemtype t = expm1_GEN((elemtype)2 * a);
    return copysign(__c_over_GEN(t, t + (elemtype)2), x);
}

// Error found: 1.59 ulp in float, 1.54 in double; allowed 4.
elemtype __c_asinh_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a > GENC(1e-4f, 1e-9)) || a == as_elemtype(GEN_INF)) return x;
    elemtype r;
    if (a > GENC(0x1p14f, 0x1p28)) {
        int k;
        elemtype m = __c_split_GEN(a, &k);
        r = __c_log_kernel_GEN(m - (elemtype)1, k + 1, (elemtype)0);
    } else {
        elemtype z = a * a;
        r = log1p_GEN(a + __c_over_GEN(z, (elemtype)1 + __c_root_GEN((elemtype)1 + z)));
    }
    return copysign(r, x);
}

// Error found: 1.80 ulp in float, 1.99 in double; allowed 4.
elemtype __c_acosh_fp(elemtype x)
{
    if (!(x >= (elemtype)1)) return as_elemtype(GEN_QUIET);
    if (x == as_elemtype(GEN_INF)) return x;
    if (x > GENC(0x1p14f, 0x1p28)) {
        int k;
        elemtype m = __c_split_GEN(x, &k);
        return __c_log_kernel_GEN(m - (elemtype)1, k + 1, (elemtype)0);
    }
    elemtype t = x - (elemtype)1;
    return log1p_GEN(t + __c_root_GEN((elemtype)2 * t + t * t));
}

// Error found: 1.66 ulp in float, 1.55 in double; allowed 5.
elemtype __c_atanh_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (!(a > GENC(1e-4f, 1e-9))) return x;
    if (!(a < (elemtype)1)) return a == (elemtype)1 ? x * as_elemtype(GEN_INF) : as_elemtype(GEN_QUIET);
    elemtype t = (elemtype)2 * a;
    elemtype q = __c_over_GEN(t, (elemtype)1 - a);
    t = a < (elemtype)0.5f ? __caldera_mad(q, a, t) : q;
    return copysign((elemtype)0.5f * log1p_GEN(t), x);
}
