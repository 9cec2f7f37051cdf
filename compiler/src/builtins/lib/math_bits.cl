// Math functions whose results are exact or correctly rounded (OpenCL 1.2 6.12.2). They use integer
// arithmetic on the representation, so they are correct whatever the device does with subnormals.

// Assembles the magnitude r * 2^e exactly. e is at least the format's least exponent, and r is less than
// twice the implicit bit.
elemtype __c_assemble_fp(uelemtype r, int field)
{
    // `field` is the exponent field of a number whose implicit bit is at GEN_MANT. r is normalized, but not
    // below field 1.
    if (r == (uelemtype)0) return 0;
    int shift = (int)clz(r) - (GEN_BITS - 1 - GEN_MANT);
    if (shift > field - 1) shift = field - 1;
    r = r << shift;
    field -= shift;
    if (r < GEN_ONE_MANT) return as_elemtype(r);
    return as_elemtype((r - GEN_ONE_MANT) + ((uelemtype)field << GEN_MANT));
}

// Returns the significand with the implicit bit, and the exponent field. Subnormals have field 1 and no
// implicit bit.
uelemtype __c_unpack_fp(uelemtype u, int *field)
{
    int f = (int)(u >> GEN_MANT);
    uelemtype m = u & (GEN_ONE_MANT - (uelemtype)1);
    if (f == 0) {
        *field = 1;
        return m;
    }
    *field = f;
    return m | GEN_ONE_MANT;
}

// Long division of magnitudes, in steps of as many bits as are free in a word. Returns x mod y, and the low
// bits of the quotient. y is normalized.
uelemtype __c_mod_fp(uelemtype mx, int fx, uelemtype my, int fy, uelemtype *quotient)
{
    uelemtype q = mx / my;
    uelemtype r = mx - q * my;
    int left = fx - fy;
    while (left > 0) {
        int step = left < GENC(8, 11) ? left : GENC(8, 11);
        r = r << step;
        uelemtype d = r / my;
        r = r - d * my;
        q = (q << step) + d;
        left -= step;
    }
    *quotient = q;
    return r;
}

elemtype __c_fmod_fp(elemtype x, elemtype y)
{
    uelemtype ux = as_uelemtype(x) & ~GEN_SIGN, uy = as_uelemtype(y) & ~GEN_SIGN;
    if (ux >= GEN_INF || uy > GEN_INF || uy == (uelemtype)0) return as_elemtype(GEN_QUIET);
    if (ux < uy) return x;
    int fx, fy;
    uelemtype mx = __c_unpack_GEN(ux, &fx);
    uelemtype my = __c_unpack_GEN(uy, &fy);
    uelemtype q;
    uelemtype r = __c_mod_GEN(mx, fx, my, fy, &q);
    return as_elemtype(as_uelemtype(__c_assemble_GEN(r, fy)) | (as_uelemtype(x) & GEN_SIGN));
}

elemtype __c_remquo_fp(elemtype x, elemtype y, int *quo)
{
    uelemtype sx = as_uelemtype(x) & GEN_SIGN, sy = as_uelemtype(y) & GEN_SIGN;
    uelemtype ux = as_uelemtype(x) ^ sx, uy = as_uelemtype(y) ^ sy;
    *quo = 0;
    if (ux >= GEN_INF || uy > GEN_INF || uy == (uelemtype)0) return as_elemtype(GEN_QUIET);
    if (uy == GEN_INF) return x;
    int fx, fy;
    uelemtype mx = __c_unpack_GEN(ux, &fx);
    uelemtype my = __c_unpack_GEN(uy, &fy);
    uelemtype r, q = 0;
    int field = fy;
    if (fx >= fy) {
        r = __c_mod_GEN(mx, fx, my, fy, &q);
    } else if (fx == fy - 1) {
        r = mx;
        my = my << 1;
        field = fx;
    } else {
        return x;
    }
    uelemtype twice = r << 1;
    if (twice > my || (twice == my && (q & (uelemtype)1) != (uelemtype)0)) {
        r = my - r;
        sx ^= GEN_SIGN;
        q += (uelemtype)1;
        int low = (int)(q & (uelemtype)0x7f);
        *quo = (sx ^ GEN_SIGN) != sy ? -low : low;
        return as_elemtype(as_uelemtype(__c_assemble_GEN(r, field)) | sx);
    }
    int low = (int)(q & (uelemtype)0x7f);
    *quo = sx != sy ? -low : low;
    return as_elemtype(as_uelemtype(__c_assemble_GEN(r, field)) | sx);
}

float remquo_f(float x, float y, int *quo) { return __c_remquo_f(x, y, quo); }

elemtype remainder_fp(elemtype x, elemtype y)
{
    int q;
    return remquo_GEN(x, y, &q);
}

elemtype frexp_fp(elemtype x, int *e)
{
    uelemtype u = as_uelemtype(x);
    uelemtype a = u & ~GEN_SIGN;
    if (a - GEN_ONE_MANT < GEN_INF - GEN_ONE_MANT) {
        *e = (int)(a >> GEN_MANT) - (GEN_BIAS - 1);
        return as_elemtype((u & (GEN_SIGN | (GEN_ONE_MANT - (uelemtype)1))) | (uelemtype)(GEN_BIAS - 1) << GEN_MANT);
    }
    *e = 0;
    if (a == (uelemtype)0 || a >= GEN_INF) return x;
    int field;
    uelemtype m = __c_unpack_GEN(a, &field);
    int shift = (int)clz(m) - (GEN_BITS - 1 - GEN_MANT);
    m = m << shift;
    *e = field - shift - (GEN_BIAS - 1);
    return as_elemtype((u & GEN_SIGN) | ((uelemtype)(GEN_BIAS - 1) << GEN_MANT) | (m - GEN_ONE_MANT));
}

elemtype ldexp_fp(elemtype x, int n)
{
    uelemtype u = as_uelemtype(x);
    uelemtype a = u & ~GEN_SIGN;
    // Both numbers are normal. A sum that wraps around fails the test.
    uint from = (uint)(a >> GEN_MANT);
    if (from - 1u < 2 * GEN_BIAS && from + (uint)n - 1u < 2 * GEN_BIAS) {
        return as_elemtype(u + ((uelemtype)n << GEN_MANT));
    }
    if (a == (uelemtype)0 || a >= GEN_INF) return x;
    uelemtype sign = u & GEN_SIGN;
    int field;
    uelemtype m = __c_unpack_GEN(a, &field);
    int shift = (int)clz(m) - (GEN_BITS - 1 - GEN_MANT);
    m = m << shift;
    int limit = 5000;
    n = n > limit ? limit : n;
    n = n < -limit ? -limit : n;
    int f = field - shift + n;
    if (f >= 2 * GEN_BIAS + 1) return as_elemtype(sign | GEN_INF);
    if (f > 0) return as_elemtype(sign | ((uelemtype)f << GEN_MANT) | (m - GEN_ONE_MANT));
    // The result is subnormal: round to nearest even.
    int down = 1 - f;
    if (down > GEN_MANT + 2) return as_elemtype(sign);
    uelemtype kept = m >> down;
    uelemtype lost = m & (((uelemtype)1 << down) - (uelemtype)1);
    uelemtype half = (uelemtype)1 << (down - 1);
    if (lost > half || (lost == half && (kept & (uelemtype)1) != (uelemtype)0)) kept += (uelemtype)1;
    return as_elemtype(sign | kept);
}

elemtype modf_fp(elemtype x, elemtype *whole)
{
    elemtype t = trunc(x);
    *whole = t;
    elemtype r = fabs(x) == as_elemtype(GEN_INF) ? (elemtype)0 : x - t;
    return copysign(r, x);
}

elemtype fract_fp(elemtype x, elemtype *whole)
{
    elemtype f = floor(x);
    *whole = f;
    elemtype r = x - f;
    r = r >= (elemtype)1 ? as_elemtype((uelemtype)(as_uelemtype((elemtype)1) - (uelemtype)1)) : r;
    // The fraction of a zero or an infinity is a zero with its sign.
    uelemtype a = (uelemtype)(as_uelemtype(x) & ~GEN_SIGN);
    return a == (uelemtype)0 || a == GEN_INF ? copysign((elemtype)0, x) : r;
}

elemtype nextafter_fp(elemtype x, elemtype y)
{
    uelemtype ux = as_uelemtype(x), uy = as_uelemtype(y);
    uelemtype ax = (uelemtype)(ux & ~GEN_SIGN), ay = (uelemtype)(uy & ~GEN_SIGN);
    if (ax > GEN_INF) return x;
    if (ay > GEN_INF) return y;
    if (ux == uy || (ax | ay) == (uelemtype)0) return y;
    if (ax == (uelemtype)0) return as_elemtype((uelemtype)((uy & GEN_SIGN) | (uelemtype)1));
    // The step is away from zero if y has the same sign and a greater magnitude.
    int away = ((ux ^ uy) & GEN_SIGN) == (uelemtype)0 && ay > ax;
    return as_elemtype((uelemtype)(away ? ux + (uelemtype)1 : ux - (uelemtype)1));
}

// (a, sticky) >> n, where the bits shifted out are ORed into bit 0.
ulong __c_shift_jam(ulong a, int n)
{
    if (n == 0) return a;
    if (n > 63) return a != 0UL ? 1UL : 0UL;
    return (a >> n) | ((a << (64 - n)) != 0UL ? 1UL : 0UL);
}

// Correctly rounded x * y + z by way of doubles, in which the product is exact. Their sum is rounded to odd: if it is not
// exact, its last bit is 1. It then rounds to the same float as the exact sum does, which has two more bits at least.
float __c_fma_in_doubles(float x, float y, float z)
{
    double a = (double)x * (double)y, b = (double)z;
    double sum = a + b;
    // The rest of the sum, without an error. It is NaN if the sum is not finite.
    double t = sum - a;
    double rest = (a - (sum - t)) + (b - t);
    ulong bits = as_ulong(sum);
    if ((rest > 0.0 || rest < 0.0) && (bits & 1UL) == 0UL) {
        bits = (rest > 0.0) == (sum > 0.0) ? bits + 1UL : bits - 1UL;
    }
    return (float)as_double(bits);
}

// Correctly rounded x * y + z, without doubles in integer arithmetic. The product is exact in 48 of 64 bits.
float fma_f(float x, float y, float z)
{
    if (__caldera_has_doubles(x)) return __c_fma_in_doubles(x, y, z);
    uint ux = as_uint(x) & 0x7fffffffu, uy = as_uint(y) & 0x7fffffffu, uz = as_uint(z) & 0x7fffffffu;
    uint sp = (as_uint(x) ^ as_uint(y)) & 0x80000000u;
    uint sz = as_uint(z) & 0x80000000u;
    if (ux >= 0x7f800000u || uy >= 0x7f800000u || uz >= 0x7f800000u) {
        if (ux < 0x7f800000u && uy < 0x7f800000u) return z;
        return x * y + z;
    }
    if (ux == 0 || uy == 0) {
        if (uz == 0) return as_float(sp & sz);
        return z;
    }
    int fx, fy, fz;
    uint mx = __c_unpack_f(ux, &fx);
    uint my = __c_unpack_f(uy, &fy);
    uint mz = __c_unpack_f(uz, &fz);
    // Values are a * 2^e with the leading bit of a at bit 62.
    ulong a = (ulong)mx * (ulong)my;
    int ea = fx + fy - 300;
    int s = (int)clz(a) - 1;
    a <<= s;
    ea -= s;
    ulong b = mz;
    int eb = fz - 150;
    uint sa = sp, sb = sz;
    if (b != 0UL) {
        s = (int)clz(b) - 1;
        b <<= s;
        eb -= s;
        if (eb > ea || (eb == ea && b > a)) {
            ulong t = a; a = b; b = t;
            int te = ea; ea = eb; eb = te;
            uint ts = sa; sa = sb; sb = ts;
        }
        b = __c_shift_jam(b, ea - eb);
    }
    ulong r = sa == sb ? a + b : a - b;
    if (r == 0UL) return 0.0f;
    s = (int)clz(r);
    r <<= s;
    int field = ea - s + 63 + 127;
    if (field >= 255) return as_float(sa | 0x7f800000u);
    int shift = 40;
    if (field < 1) {
        shift = 41 - field;
        field = 1;
        if (shift > 65) shift = 65;
    }
    r = __c_shift_jam(r, shift - 2);
    uint m = (uint)(r >> 2);
    uint lost = (uint)r & 3u;
    if (lost > 2u || (lost == 2u && (m & 1u) != 0u)) m += 1u;
    return as_float(sa | (((uint)(field - 1) << 23) + m));
}

// As fma_f, with the product in 106 of 128 bits.
double fma_d(double x, double y, double z)
{
    ulong sign = 0x8000000000000000UL, inf = 0x7ff0000000000000UL;
    ulong ux = as_ulong(x) & ~sign, uy = as_ulong(y) & ~sign, uz = as_ulong(z) & ~sign;
    ulong sp = (as_ulong(x) ^ as_ulong(y)) & sign;
    ulong sz = as_ulong(z) & sign;
    if (ux >= inf || uy >= inf || uz >= inf) {
        if (ux < inf && uy < inf) return z;
        return x * y + z;
    }
    if (ux == 0UL || uy == 0UL) {
        if (uz == 0UL) return as_double(sp & sz);
        return z;
    }
    int fx, fy, fz;
    ulong mx = __c_unpack_d(ux, &fx);
    ulong my = __c_unpack_d(uy, &fy);
    ulong mz = __c_unpack_d(uz, &fz);
    // Values are (a, al) * 2^e with the leading bit of a at bit 62.
    int s = (int)clz(mx) - 1;
    mx <<= s;
    fx -= s;
    s = (int)clz(my) - 1;
    my <<= s;
    fy -= s;
    ulong a = mul_hi(mx, my), al = mx * my;
    int ea = fx + fy - 2 * 1075 + 64;
    if ((a >> 62) == 0UL) {
        s = (int)clz(a) - 1;
        a = (a << s) | (al >> (64 - s));
        al <<= s;
        ea -= s;
    }
    ulong b = mz, bl = 0;
    int eb = fz - 1075;
    ulong sa = sp, sb = sz;
    if (b != 0UL) {
        s = (int)clz(b) - 1;
        b <<= s;
        eb -= s;
        if (eb > ea || (eb == ea && b > a)) {
            ulong t = a; a = b; b = t;
            t = al; al = bl; bl = t;
            int te = ea; ea = eb; eb = te;
            t = sa; sa = sb; sb = t;
        }
        int d = ea - eb;
        if (d >= 64) {
            bl = __c_shift_jam(b, d - 64) | (bl != 0UL ? 1UL : 0UL);
            b = 0;
        } else if (d > 0) {
            ulong out = bl << (64 - d);
            bl = (bl >> d) | (b << (64 - d)) | (out != 0UL ? 1UL : 0UL);
            b >>= d;
        }
    }
    ulong r, rl;
    if (sa == sb) {
        rl = al + bl;
        r = a + b + (rl < al ? 1UL : 0UL);
    } else {
        rl = al - bl;
        r = a - b - (al < bl ? 1UL : 0UL);
        if ((r >> 63) != 0UL) {
            // The leading words were equal, and the low word of the first was smaller.
            rl = ~rl + 1UL;
            r = ~r + (rl == 0UL ? 1UL : 0UL);
            sa = sb;
        }
    }
    if (r == 0UL && rl == 0UL) return 0.0;
    if (r == 0UL) {
        r = rl;
        rl = 0;
        ea -= 64;
    }
    s = (int)clz(r);
    if (s > 0) {
        r = (r << s) | (rl >> (64 - s));
        rl <<= s;
        ea -= s;
    }
    r |= rl != 0UL ? 1UL : 0UL;
    int field = ea + 63 + 1023;
    if (field >= 2047) return as_double(sa | inf);
    int shift = 11;
    if (field < 1) {
        shift = 12 - field;
        field = 1;
        if (shift > 65) shift = 65;
    }
    r = __c_shift_jam(r, shift - 2);
    ulong m = r >> 2;
    ulong lost = r & 3UL;
    if (lost > 2UL || (lost == 2UL && (m & 1UL) != 0UL)) m += 1UL;
    return as_double(sa | (((ulong)(field - 1) << 52) + m));
}

// Products of halves are exact in float. The sum is rounded to odd, and then once to half.
half fma_h(half x, half y, half z)
{
    float p = (float)x * (float)y;
    float e;
    float s = __c_two_sum_f(p, (float)z, &e);
    uint u = as_uint(s);
    if (e != 0.0f && (u & 0x7f800000u) != 0x7f800000u && (u & 1u) == 0u) {
        int up = (e > 0.0f) == (u < 0x80000000u);
        u = up ? u + 1u : u - 1u;
    }
    return (half)as_float(u);
}
