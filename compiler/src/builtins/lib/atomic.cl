// Compare-and-exchange (OpenCL C 3.0, 6.15.12.7.4), one function for each pair of address spaces. The functions
// compare bits, not values.

int exchange_global_private_any(volatile __global gentype *object, __private gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __global ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}

int exchange_global_local_any(volatile __global gentype *object, __local gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __global ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}

int exchange_global_global_any(volatile __global gentype *object, __global gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __global ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}

int exchange_local_private_any(volatile __local gentype *object, __private gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __local ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}

int exchange_local_local_any(volatile __local gentype *object, __local gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __local ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}

int exchange_local_global_any(volatile __local gentype *object, __global gentype *expected, gentype desired)
{
    ugentype wanted = as_ugentype(*expected);
    ugentype old = atom_cmpxchg((volatile __local ugentype *)object, wanted, as_ugentype(desired));
    if (old == wanted) return 1;
    *expected = as_gentype(old);
    return 0;
}
