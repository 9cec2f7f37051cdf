// Conversions between float or double and the bits of a half (OpenCL 1.2 6.12.7), and directed rounding to
// floating-point types (6.2.3.2). Integer arithmetic makes them exact on every device, including subnormals.

// There are no branches, because drivers take long to compile them.
float half_bits_to_float(ushort h)
{
    uint u = h;
    uint a = (u & 0x7fffu) << 13;
    // A subnormal is the difference between 2^-14 with the same fraction and 2^-14, which is exact in float.
    float small = as_float(0x38800000u | a) - 0x1p-14f;
    uint bias = u & 0x7c00u ? 0x38000000u : 0u;
    bias = (u & 0x7c00u) == 0x7c00u ? 0x70000000u : bias;
    uint r = u & 0x7c00u ? a + bias : as_uint(small);
    return as_float(((u & 0x8000u) << 16) | r);
}

// Converts the bits of a float. `up` gives the rounding: 0 to nearest even, 1 toward zero, 2 away from zero.
ushort __c_single_to_half(uint u, int up)
{
    uint a = u & 0x7fffffffu;
    // The magnitude in units of half's last bit times 2^drop. Below 2^-14 it is the mantissa in units of
    // 2^-24, otherwise the whole number with half's bias.
    int normal = a >= 0x38800000u;
    uint below = min(126u - min(a >> 23, 113u), 31u);
    uint drop = normal ? 13u : below;
    uint m = a != 0u ? (a & 0x7fffffu) | 0x800000u : 0u;
    m = normal ? a - 0x38000000u : m;
    uint unit = 1u << drop;
    uint add = 0u;
    if (up == 2) add = unit - 1u;
    if (up == 0) add = (unit >> 1) - 1u + ((m >> drop) & 1u);
    uint r = min((m + add) >> drop, up == 1 ? 0x7bffu : 0x7c00u);
    r = a >= 0x7f800000u ? 0x7c00u : r;
    r = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : r;
    return (ushort)(((u >> 16) & 0x8000u) | r);
}

ushort __c_float_to_half(float x, int up)
{
    return __c_single_to_half(as_uint(x), up);
}

// The intermediate float is rounded to odd, so that rounding it to half gives the same result as a single
// rounding.
ushort __c_double_to_half(double x, int up)
{
    ulong u = as_ulong(x);
    uint top = (uint)(u >> 32) & 0x7fffffffu;
    uint low = (uint)u;
    // 23 bits of the fraction: 20 of the upper word and 3 of the lower word.
    uint fraction = ((top << 3) & 0x7fffffu) | low >> 29;
    uint lost = (low & 0x1fffffffu) != 0u ? 1u : 0u;
    uint e = top >> 20;
    uint field = clamp(e, 897u, 1150u) - 896u;
    uint a = (field << 23) | fraction | lost;
    // The number is too small for float's normal numbers, or too large for float.
    a = e < 897u ? ((top | low) != 0u ? 1u : 0u) : a;
    a = e > 1150u ? 0x7f7fffffu : a;
    uint special = 0x7f800000u | fraction | ((fraction | lost) != 0u ? 0x400000u : 0u);
    a = e == 2047u ? special : a;
    return __c_single_to_half(((uint)(u >> 32) & 0x80000000u) | a, up);
}

ushort float_to_half_bits_rte(float x) { return __c_float_to_half(x, 0); }

ushort float_to_half_bits_rtz(float x) { return __c_float_to_half(x, 1); }

ushort float_to_half_bits_rtp(float x) { return __c_float_to_half(x, as_uint(x) < 0x80000000u ? 2 : 1); }

ushort float_to_half_bits_rtn(float x) { return __c_float_to_half(x, as_uint(x) < 0x80000000u ? 1 : 2); }

ushort double_to_half_bits_rte(double x) { return __c_double_to_half(x, 0); }

ushort double_to_half_bits_rtz(double x) { return __c_double_to_half(x, 1); }

ushort double_to_half_bits_rtp(double x) { return __c_double_to_half(x, as_ulong(x) < 0x8000000000000000UL ? 2 : 1); }

ushort double_to_half_bits_rtn(double x) { return __c_double_to_half(x, as_ulong(x) < 0x8000000000000000UL ? 1 : 2); }

// Directed rounding of integers and doubles. It is not done by rounding to nearest and comparing, because
// drivers fold away a conversion there and back.

// Converts a magnitude and a sign to a number. Inexact results are rounded away from zero if `up` is set,
// otherwise toward zero.
elemtype __c_from_int_fp(ulong m, int negative, int up)
{
    uelemtype sign = negative != 0 ? GEN_SIGN : (uelemtype)0;
    if (m == 0UL) return 0;
    int lz = (int)clz(m);
    m <<= lz;
    uelemtype kept = (uelemtype)(m >> (63 - GEN_MANT));
    int lost = (m << (GEN_MANT + 1)) != 0UL;
    int field = 63 - lz + GEN_BIAS;
    uelemtype r = GEN_INF;
    if (field <= 2 * GEN_BIAS) {
        r = (uelemtype)(((uelemtype)(field - 1) << GEN_MANT) + kept);
        if (up != 0 && lost != 0) r = (uelemtype)(r + (uelemtype)1);
    } else if (up == 0) {
        r = (uelemtype)(GEN_INF - (uelemtype)1);
    }
    return as_elemtype((uelemtype)(r | sign));
}

gentype convert_rtp_signed(srctype x)
{
    return __c_from_int_GEN(x < (srctype)0 ? 0UL - (ulong)x : (ulong)x, x < (srctype)0, x >= (srctype)0);
}

gentype convert_rtn_signed(srctype x)
{
    return __c_from_int_GEN(x < (srctype)0 ? 0UL - (ulong)x : (ulong)x, x < (srctype)0, x < (srctype)0);
}

gentype convert_rtz_signed(srctype x)
{
    return __c_from_int_GEN(x < (srctype)0 ? 0UL - (ulong)x : (ulong)x, x < (srctype)0, 0);
}

gentype convert_rtp_unsigned(srctype x)
{
    return __c_from_int_GEN((ulong)x, 0, 1);
}

gentype convert_rtn_unsigned(srctype x)
{
    return __c_from_int_GEN((ulong)x, 0, 0);
}

gentype convert_rtz_unsigned(srctype x)
{
    return __c_from_int_GEN((ulong)x, 0, 0);
}

float __c_double_to_float(double x, int up)
{
    ulong u = as_ulong(x);
    uint sign = (uint)(u >> 32) & 0x80000000u;
    ulong a = u & 0x7fffffffffffffffUL;
    if (a >= 0x7ff0000000000000UL) return (float)x;
    if (a == 0UL) return as_float(sign);
    int e = (int)(a >> 52) - 1023;
    ulong m = 0x8000000000000000UL | (a << 11);
    if (e > 127) return as_float(sign | (up != 0 ? 0x7f800000u : 0x7f7fffffu));
    int drop = 40;
    int field = e + 127;
    if (field < 1) {
        drop += 1 - field;
        field = 1;
    }
    uint kept = drop > 63 ? 0u : (uint)(m >> drop);
    int lost = drop > 63 ? 1 : (m << (64 - drop)) != 0UL;
    uint r = ((uint)(field - 1) << 23) + kept;
    if (up != 0 && lost != 0) r += 1u;
    return as_float(sign | r);
}

float convert_rtp_fp(double x)
{
    return __c_double_to_float(x, as_ulong(x) < 0x8000000000000000UL);
}

float convert_rtn_fp(double x)
{
    return __c_double_to_float(x, as_ulong(x) >= 0x8000000000000000UL);
}

float convert_rtz_fp(double x)
{
    return __c_double_to_float(x, 0);
}
