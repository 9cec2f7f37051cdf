// Conversions between float or double and the bits of a half (OpenCL 1.2 6.12.7), and directed rounding to
// floating-point types (6.2.3.2). Integer arithmetic: exact, subnormals included, on every device.

float half_bits_to_float(ushort h)
{
    uint u = h;
    uint sign = (u & 0x8000u) << 16;
    uint a = u & 0x7fffu;
    if (a >= 0x7c00u) return as_float(sign | 0x7f800000u | ((a & 0x3ffu) << 13));
    if (a >= 0x400u) return as_float(sign | ((a << 13) + 0x38000000u));
    if (a == 0u) return as_float(sign);
    // Subnormal: normalize.
    uint shift = clz(a) - 21u;
    return as_float(sign | (((a << shift) & 0x3ffu) << 13) | ((113u - shift) << 23));
}

// Magnitude: 11 bits of m (leading bit 31) kept, or fewer below the normal range; `up` says how to round what is
// lost: 0 nearest even, 1 truncate, 2 away from zero. e: exponent of the leading bit.
uint __c_half_round(uint m, int e, int up)
{
    int drop = 21;
    int field = e + 15;
    if (field < 1) {
        drop += 1 - field;
        field = 1;
    }
    if (drop > 33) drop = 33;
    uint kept = drop > 31 ? 0u : m >> drop;
    uint lost;
    if (drop > 32) {
        lost = m != 0u ? 1u : 0u;
    } else if (drop == 32) {
        lost = m;
    } else {
        lost = m << (32 - drop);
    }
    int add = 0;
    if (up == 2) add = lost != 0u;
    if (up == 0) add = lost > 0x80000000u || (lost == 0x80000000u && (kept & 1u) != 0u);
    kept += add != 0 ? 1u : 0u;
    uint r = ((uint)(field - 1) << 10) + kept;
    if (r >= 0x7c00u) return up == 1 ? 0x7bffu : 0x7c00u;
    return r;
}

ushort __c_float_to_half(float x, int up)
{
    uint u = as_uint(x);
    uint sign = (u >> 16) & 0x8000u;
    uint a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return (ushort)(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
    if (a == 0x7f800000u) return (ushort)(sign | 0x7c00u);
    if (a == 0u) return (ushort)sign;
    int e = (int)(a >> 23) - 127;
    uint m = e == -127 ? 1u : 0x80000000u | (a << 8);
    if (e > 16) e = 16;
    if (e < -40) e = -40;
    return (ushort)(sign | __c_half_round(m, e, up));
}

ushort __c_double_to_half(double x, int up)
{
    ulong u = as_ulong(x);
    uint sign = (uint)(u >> 48) & 0x8000u;
    ulong a = u & 0x7fffffffffffffffUL;
    if (a > 0x7ff0000000000000UL) return (ushort)(sign | 0x7e00u | ((uint)(a >> 42) & 0x3ffu));
    if (a == 0x7ff0000000000000UL) return (ushort)(sign | 0x7c00u);
    if (a == 0UL) return (ushort)sign;
    int e = (int)(a >> 52) - 1023;
    uint m = 0x80000000u | ((uint)(a >> 21) & 0x7fffffffu) | ((a & 0x1fffffUL) != 0UL ? 1u : 0u);
    if (e > 16) e = 16;
    if (e < -40) e = -40;
    return (ushort)(sign | __c_half_round(m, e, up));
}

ushort float_to_half_bits_rte(float x) { return __c_float_to_half(x, 0); }

ushort float_to_half_bits_rtz(float x) { return __c_float_to_half(x, 1); }

ushort float_to_half_bits_rtp(float x) { return __c_float_to_half(x, as_uint(x) < 0x80000000u ? 2 : 1); }

ushort float_to_half_bits_rtn(float x) { return __c_float_to_half(x, as_uint(x) < 0x80000000u ? 1 : 2); }

ushort double_to_half_bits_rte(double x) { return __c_double_to_half(x, 0); }

ushort double_to_half_bits_rtz(double x) { return __c_double_to_half(x, 1); }

ushort double_to_half_bits_rtp(double x) { return __c_double_to_half(x, as_ulong(x) < 0x8000000000000000UL ? 2 : 1); }

ushort double_to_half_bits_rtn(double x) { return __c_double_to_half(x, as_ulong(x) < 0x8000000000000000UL ? 1 : 2); }

// Directed rounding of integers and doubles. Not by way of the nearest value and a comparison: drivers fold the
// conversion back and forth away.

// A magnitude as a number with a sign; what is lost is rounded away from zero if `up`, else dropped.
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
