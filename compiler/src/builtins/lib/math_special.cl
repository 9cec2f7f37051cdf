// Error and gamma functions (OpenCL 1.2 6.12.2), with one text for float and double (math_exp.cl explains the
// type words).
//
// erfc: exp(-x^2) times a polynomial in (x - 3) / (x + 3), after the transformation of N. Juffa and of
// Shepherd and Laframboise (Math. Comp. 36, 1981), with x^2 in double length. Gamma: Stirling's series from 8
// on, with the power in double length (log2 and exp2 of pow); the recurrence below 8; reflection for negative
// arguments.

// erfc(x) for x >= 0.8.
elemtype __c_erfc_fp(elemtype x)
{
    // A single quotient serves both divisions: 1 / ((x + 3) (1 + 2x)).
    elemtype a = x + (elemtype)3, b = (elemtype)1 + (elemtype)2 * x;
    elemtype inv = __c_over_GEN((elemtype)1, a * b);
    elemtype t = (x - (elemtype)3) * (b * inv);
    elemtype p = __p_erfc_GEN(t) * (a * inv);
    elemtype lo;
    elemtype hi = __c_two_prod_GEN(x, x, &lo);
    return __c_exp_shift_GEN(-hi, 0) * (p - p * lo);
}

// Error found: 2.44 ulp in float, 1.63 in double; allowed 16.
elemtype __c_erf_fp(elemtype x)
{
    elemtype a = fabs(x);
    if (x != x) return x;
    if (a < (elemtype)0.875f) {
        // For tiny x the result is just a product with a number near 1. Scaling prevents the loss of
        // subnormals.
        if (a < GENC(1e-30f, 1e-290)) return __c_scale_GEN(__c_scale_GEN(x, 30) * GENC(1.1283791065216064f, 1.1283791670955126), -30);
        return x * __p_erf_GEN(x * x);
    }
    elemtype r = a > GENC(4.0f, 6.0) ? (elemtype)1 : (elemtype)1 - __c_erfc_GEN(a);
    return copysign(r, x);
}

// Error found: 8.10 ulp in float, 5.34 in double; allowed 16.
elemtype erfc_fp(elemtype x)
{
    if (x != x) return x;
    elemtype a = fabs(x);
    if (a < (elemtype)0.85f) return (elemtype)1 - x * __p_erf_GEN(x * x);
    // erfc is computed once for both signs, because a sub-group's work-items may have both.
    elemtype r = a > GENC(10.1f, 27.3) ? (elemtype)0 : __c_erfc_GEN(a);
    return x < (elemtype)0 ? (elemtype)2 - r : r;
}

// Gamma(x) = result * 2^*n for x >= 8. For large x the exponent saturates, and the result overflows.
elemtype __c_gamma_large_fp(elemtype x, int *n, int invert)
{
    elemtype l, pe, qe, se, te;
    elemtype h = __c_log2_dd_GEN(x, &l);
    elemtype a = x - (elemtype)0.5f;
    elemtype p = __c_two_prod_GEN(a, h, &pe);
    pe += a * l;
    elemtype q = __c_two_prod_GEN(x, GENC(1.4426950216293335f, 1.4426950408889634), &qe);
    qe += x * GENC(1.925963033500011e-08f, 2.0355273740931033e-17);
    elemtype s = __c_two_sum_GEN(p, -q, &se);
    elemtype t = __c_two_sum_GEN(s, GENC(1.325748085975647f, 1.3257480647361595), &te);
    elemtype inv = __c_over_GEN((elemtype)1, x);
    elemtype tail = inv * __p_stirling_GEN(inv * inv) * GENC(1.4426950216293335f, 1.4426950408889634);
    elemtype lo = ((pe - qe) + (se + te)) + (GENC(-2.1239488390278893e-08f, -7.153413670427599e-17) + tail);
    elemtype hi = t + lo;
    lo = (t - hi) + lo;
    return invert ? __c_exp2_dd_GEN(-hi, -lo, n) : __c_exp2_dd_GEN(hi, lo, n);
}

// Gamma(x) for 0 < x < 8, except tiny x.
elemtype __c_gamma_small_fp(elemtype x)
{
    elemtype up = 1, down = 1;
    while (x >= (elemtype)2.5f) {
        x -= (elemtype)1;
        up *= x;
    }
    while (x < (elemtype)1.5f) {
        down *= x;
        x += (elemtype)1;
    }
    elemtype r = __p_gamma_GEN(x - (elemtype)2) * up;
    return down == (elemtype)1 ? r : __c_over_GEN(r, down);
}

// Error found: 5.28 ulp in float, 4.72 in double; allowed 16.
elemtype tgamma_fp(elemtype x)
{
    if (x != x) return x;
    elemtype a = fabs(x);
    // The poles, and a neighbourhood of 0.
    if (a < GENC(1e-8f, 1e-17)) return (elemtype)1 / x;
    int n;
    if (x > (elemtype)0) {
        if (a == as_elemtype(GEN_INF)) return x;
        if (x < (elemtype)8) return __c_gamma_small_GEN(x);
        if (x > GENC(36.0f, 172.0)) return as_elemtype(GEN_INF);
        elemtype m = __c_gamma_large_GEN(x, &n, 0);
        return __c_scale_any_GEN(m, n);
    }
    if (a == as_elemtype(GEN_INF) || floor(x) == x) return as_elemtype(GEN_QUIET);
    // Gamma(x) = -pi / (sin(pi a) a Gamma(a))
    elemtype s = sinpi_GEN(a);
    if (a > GENC(45.0f, 190.0)) return copysign((elemtype)0, -s);
    elemtype pi = GENC(3.1415927410125732f, 3.141592653589793);
    if (a < (elemtype)8) return __c_over_GEN(-pi, s * (a * __c_gamma_small_GEN(a)));
    elemtype m = __c_gamma_large_GEN(a, &n, 1);
    return __c_scale_any_GEN(__c_over_GEN(-pi, s * a) * m, n);
}

// log |Gamma(x)| for x > 0.
elemtype __c_lgamma_positive_fp(elemtype x)
{
    if (x >= (elemtype)8) {
        // For large x the quotient is negligible.
        elemtype inv = __c_over_GEN((elemtype)1, fmin(x, GENC(0x1p90f, 0x1p90)));
        elemtype r = (x - (elemtype)0.5f) * (log_GEN(x) - (elemtype)1);
        return r + (GENC(0.41893852f, 0.4189385332046727) + inv * __p_stirling_GEN(inv * inv));
    }
    if (x < GENC(1e-8f, 1e-17)) return -log_GEN(x);
    if (GENC(1, 0)) {
        if (x >= (elemtype)2.5f) return __p_lgamma8_GEN(x - (elemtype)5.25f);
    }
    elemtype f = 1;
    elemtype extra = 0;
    while (x >= (elemtype)2.5f) {
        x -= (elemtype)1;
        f *= x;
    }
    if (f > (elemtype)1) extra = log_GEN(f);
    if (x < (elemtype)0.75f) {
        extra = -log_GEN(x);
        x += (elemtype)1;
    }
    elemtype u = x - (elemtype)2;
    return __p_lgamma_GEN(u) * u * (x - (elemtype)1) + extra;
}

elemtype lgamma_r_fp(elemtype x, int *sign)
{
    *sign = 1;
    if (x != x) return x;
    elemtype a = fabs(x);
    elemtype inf = as_elemtype(GEN_INF);
    if (a == inf) return inf;
    if (a == (elemtype)0) {
        *sign = as_uelemtype(x) >= GEN_SIGN ? -1 : 1;
        return inf;
    }
    if (x > (elemtype)0) return __c_lgamma_positive_GEN(x);
    if (floor(x) == x) {
        *sign = 0;
        return inf;
    }
    if (a < GENC(1e-8f, 1e-17)) {
        *sign = -1;
        return -log_GEN(a);
    }
    elemtype s = sinpi_GEN(a);
    *sign = s > (elemtype)0 ? -1 : 1;
    return log_GEN(__c_over_GEN(GENC(3.1415927410125732f, 3.141592653589793), fabs(s * a))) - __c_lgamma_positive_GEN(a);
}

elemtype lgamma_fp(elemtype x)
{
    int sign;
    return lgamma_r_GEN(x, &sign);
}
