// Relational functions (OpenCL 1.2 6.12.6) and other functions of a number's bits. They use only integer
// arithmetic, so that they distinguish subnormals and NaNs whatever the device does with them. Exact.

gentype copysign_fp(gentype x, gentype y)
{
    ugentype sign = (ugentype)((uelemtype)1 << (GEN_BITS - 1));
    return as_gentype((ugentype)((as_ugentype(x) & (ugentype)~sign) | (as_ugentype(y) & sign)));
}

gentype bitselect_any(gentype a, gentype b, gentype c)
{
    return as_gentype((ugentype)((as_ugentype(a) & ~as_ugentype(c)) | (as_ugentype(b) & as_ugentype(c))));
}

reltype signbit_any(gentype x)
{
    return as_sgentype(x) < (sgentype)0;
}

reltype isinf_any(gentype x)
{
    return (ugentype)(as_ugentype(x) << (ugentype)1) == (ugentype)GEN_INF2;
}

reltype isfinite_any(gentype x)
{
    return (ugentype)(as_ugentype(x) << (ugentype)1) < (ugentype)GEN_INF2;
}

// The exponent field is neither 0 nor all ones. As unsigned numbers: bits - smallest normal < inf - smallest
// normal.
reltype isnormal_any(gentype x)
{
    ugentype u = (ugentype)(as_ugentype(x) << (ugentype)1);
    return (ugentype)(u - (ugentype)GEN_NORMAL2) < (ugentype)(GEN_INF2 - GEN_NORMAL2);
}

// The payload goes into a quiet NaN.
gentype nan_fp(ugentype code)
{
    return as_gentype((ugentype)(code | (ugentype)(GEN_QUIET)));
}
