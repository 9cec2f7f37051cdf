// Extended bit operations (cl_khr_extended_bit_ops) and dot products of integers (cl_khr_integer_dot_product), whose
// vectors of bytes are packed into words.

gentype bitfield_insert_any(gentype base, gentype insert, uint offset, uint count)
{
    if (count == 0) return base;
    uelemtype ones = (uelemtype)((uelemtype)~(uelemtype)0 >> (uelemtype)(GEN_BITS - count));
    ugentype mask = (ugentype)(uelemtype)(ones << (uelemtype)offset);
    ugentype shifted = (ugentype)(as_ugentype(insert) << (ugentype)(uelemtype)offset);
    return as_gentype((ugentype)((as_ugentype(base) & ~mask) | (shifted & mask)));
}

sgentype bitfield_extract_signed_any(gentype base, uint offset, uint count)
{
    if (count == 0) return (sgentype)(selemtype)0;
    ugentype top = (ugentype)(as_ugentype(base) << (ugentype)(uelemtype)(GEN_BITS - offset - count));
    return (sgentype)(as_sgentype(top) >> (sgentype)(selemtype)(GEN_BITS - count));
}

ugentype bitfield_extract_unsigned_any(gentype base, uint offset, uint count)
{
    if (count == 0) return (ugentype)(uelemtype)0;
    ugentype top = (ugentype)(as_ugentype(base) << (ugentype)(uelemtype)(GEN_BITS - offset - count));
    return (ugentype)(top >> (ugentype)(uelemtype)(GEN_BITS - count));
}

uint __c_dot_packed_uu(uint a, uint b)
{
    if (__caldera_has_dot_u(0.0f)) return __caldera_dot_u(a, b);
    uint4 p = convert_uint4(as_uchar4(a)) * convert_uint4(as_uchar4(b));
    return p.x + p.y + p.z + p.w;
}

uint __c_dot_acc_packed_uu(uint a, uint b, uint sum)
{
    if (__caldera_has_dot_acc_sat_u(0.0f)) return __caldera_dot_acc_sat_u(a, b, sum);
    return add_sat(__c_dot_packed_uu(a, b), sum);
}

int __c_dot_packed_ss(uint a, uint b)
{
    if (__caldera_has_dot_s(0.0f)) return __caldera_dot_s(a, b);
    int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
    return p.x + p.y + p.z + p.w;
}

int __c_dot_acc_packed_ss(uint a, uint b, int sum)
{
    if (__caldera_has_dot_acc_sat_s(0.0f)) return __caldera_dot_acc_sat_s(a, b, sum);
    return add_sat(__c_dot_packed_ss(a, b), sum);
}

int __c_dot_packed_su(uint a, uint b)
{
    if (__caldera_has_dot_su(0.0f)) return __caldera_dot_su(a, b);
    int4 p = convert_int4(as_char4(a)) * convert_int4(as_uchar4(b));
    return p.x + p.y + p.z + p.w;
}

int __c_dot_acc_packed_su(uint a, uint b, int sum)
{
    if (__caldera_has_dot_acc_sat_su(0.0f)) return __caldera_dot_acc_sat_su(a, b, sum);
    return add_sat(__c_dot_packed_su(a, b), sum);
}

int __c_dot_packed_us(uint a, uint b)
{
    return __c_dot_packed_su(b, a);
}

int __c_dot_acc_packed_us(uint a, uint b, int sum)
{
    return __c_dot_acc_packed_su(b, a, sum);
}
