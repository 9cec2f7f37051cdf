// Common and geometric functions (OpenCL 1.2 6.12.4, 6.12.5), copysign and other functions of bits, and the
// native functions that are no single operation.

gentype clamp_fp(gentype x, gentype lo, gentype hi)
{
    return fmin(fmax(x, lo), hi);
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
