// Extended bit operations (cl_khr_extended_bit_ops) and dot products of integers (cl_khr_integer_dot_product).

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

uint __c_dot_uu(uchar4 a, uchar4 b)
{
    uint4 p = convert_uint4(a) * convert_uint4(b);
    return p.x + p.y + p.z + p.w;
}

uint __c_dot_acc_uu(uchar4 a, uchar4 b, uint sum)
{
    return add_sat(__c_dot_uu(a, b), sum);
}

uint __c_dot_packed_uu(uint a, uint b)
{
    return __c_dot_uu(as_uchar4(a), as_uchar4(b));
}

uint __c_dot_acc_packed_uu(uint a, uint b, uint sum)
{
    return add_sat(__c_dot_uu(as_uchar4(a), as_uchar4(b)), sum);
}

int __c_dot_us(uchar4 a, char4 b)
{
    int4 p = convert_int4(a) * convert_int4(b);
    return p.x + p.y + p.z + p.w;
}

int __c_dot_acc_us(uchar4 a, char4 b, int sum)
{
    return add_sat(__c_dot_us(a, b), sum);
}

int __c_dot_packed_us(uint a, uint b)
{
    return __c_dot_us(as_uchar4(a), as_char4(b));
}

int __c_dot_acc_packed_us(uint a, uint b, int sum)
{
    return add_sat(__c_dot_us(as_uchar4(a), as_char4(b)), sum);
}

int __c_dot_su(char4 a, uchar4 b)
{
    int4 p = convert_int4(a) * convert_int4(b);
    return p.x + p.y + p.z + p.w;
}

int __c_dot_acc_su(char4 a, uchar4 b, int sum)
{
    return add_sat(__c_dot_su(a, b), sum);
}

int __c_dot_packed_su(uint a, uint b)
{
    return __c_dot_su(as_char4(a), as_uchar4(b));
}

int __c_dot_acc_packed_su(uint a, uint b, int sum)
{
    return add_sat(__c_dot_su(as_char4(a), as_uchar4(b)), sum);
}

int __c_dot_ss(char4 a, char4 b)
{
    int4 p = convert_int4(a) * convert_int4(b);
    return p.x + p.y + p.z + p.w;
}

int __c_dot_acc_ss(char4 a, char4 b, int sum)
{
    return add_sat(__c_dot_ss(a, b), sum);
}

int __c_dot_packed_ss(uint a, uint b)
{
    return __c_dot_ss(as_char4(a), as_char4(b));
}

int __c_dot_acc_packed_ss(uint a, uint b, int sum)
{
    return add_sat(__c_dot_ss(as_char4(a), as_char4(b)), sum);
}
