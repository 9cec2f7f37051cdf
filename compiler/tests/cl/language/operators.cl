// OpenCL C 6.3: every operator on scalars and vectors, and scalars beside vectors.
#define INT_OPS(NAME, T) \
    kernel void NAME(global T *p, T a, T b, int c) { \
        p[0] = a + b; p[1] = a - b; p[2] = a * b; p[3] = a / b; p[4] = a % b; \
        p[5] = a & b; p[6] = a | b; p[7] = a ^ b; p[8] = ~a; p[9] = -a; p[10] = +a; \
        p[11] = a << b; p[12] = a >> b; p[13] = a++; p[14] = ++a; p[15] = b--; p[16] = --b; \
        p[17] += a; p[18] -= a; p[19] *= a; p[20] /= a; p[21] %= a; p[22] &= a; p[23] |= a; p[24] ^= a; \
        p[25] <<= a; p[26] >>= a; p[27] = (a, b); p[28] = c ? a : b; p[29] = *&a; \
        p[30] = a << 1; p[31] = a >> 33; p[32] = (T)1 + a; p[33] = a * (T)2; \
    }
#define FLOAT_OPS(NAME, T) \
    kernel void NAME(global T *p, T a, T b, int c) { \
        p[0] = a + b; p[1] = a - b; p[2] = a * b; p[3] = a / b; p[4] = -a; p[5] = +a; \
        p[6] += a; p[7] -= a; p[8] *= a; p[9] /= a; p[10] = (a, b); p[11] = c ? a : b; p[12] = 1 + a; p[13] = a * 2; \
    }
#define COMPARE(NAME, T, R) \
    kernel void NAME(global R *p, T a, T b) { \
        p[0] = a < b; p[1] = a > b; p[2] = a <= b; p[3] = a >= b; p[4] = a == b; p[5] = a != b; \
        p[6] = a && b; p[7] = a || b; p[8] = !a; p[9] = a < (T)1; p[10] = (T)0 == b; \
    }
#define SELECT(NAME, T, R) kernel void NAME(global T *p, T a, T b, R c) { p[0] = c ? a : b; p[1] = (a < b) ? a : b; p[2] = a < b ? (T)1 : b; }

INT_OPS(ops_char, char) INT_OPS(ops_uchar, uchar) INT_OPS(ops_short, short) INT_OPS(ops_ushort, ushort) INT_OPS(ops_int, int) INT_OPS(ops_uint, uint) INT_OPS(ops_long, long) INT_OPS(ops_ulong, ulong)
INT_OPS(ops_char2, char2) INT_OPS(ops_uchar3, uchar3) INT_OPS(ops_short4, short4) INT_OPS(ops_ushort8, ushort8) INT_OPS(ops_int16, int16) INT_OPS(ops_uint3, uint3) INT_OPS(ops_long2, long2) INT_OPS(ops_ulong4, ulong4)
FLOAT_OPS(ops_float, float) FLOAT_OPS(ops_double, double) FLOAT_OPS(ops_half, half) FLOAT_OPS(ops_float2, float2) FLOAT_OPS(ops_float3, float3) FLOAT_OPS(ops_double4, double4) FLOAT_OPS(ops_half8, half8)
COMPARE(compare_char, char, int) COMPARE(compare_ulong, ulong, int) COMPARE(compare_float, float, int) COMPARE(compare_double, double, int) COMPARE(compare_half, half, int)
COMPARE(compare_char4, char4, char4) COMPARE(compare_uchar2, uchar2, char2) COMPARE(compare_ushort3, ushort3, short3) COMPARE(compare_int8, int8, int8) COMPARE(compare_ulong2, ulong2, long2)
COMPARE(compare_float4, float4, int4) COMPARE(compare_double2, double2, long2) COMPARE(compare_half4, half4, short4) COMPARE(compare_float16, float16, int16)
SELECT(select_float4, float4, int4) SELECT(select_uchar8, uchar8, char8) SELECT(select_double2, double2, long2) SELECT(select_half3, half3, short3) SELECT(select_ulong4, ulong4, ulong4)

struct S { int a[2]; float4 v; };
kernel void mixed(global int *p, global struct S *s, uchar c, short h, uint u, long l, float f, double d, int bit) {
    bool b = bit;
    int i = get_global_id(0);
    p[0] = c + h;             p[1] = u - i;         p[2] = l * f;        p[3] = d / c;      p[4] = c << 30;
    p[5] = (u > i) + (c < -1) + (l == u) + (f != d) + (b && f) + (!p) + (p != 0) + (p == p + 1);
    p[6] = b ? c : l;         p[7] = f ? 1 : 2.5;   p[8] = p ? 3 : 4;    p[9] = b + b;      p[10] = -c;
    c += 300.7f;              h *= d;               u <<= l;             f -= u;            b = 5;
    b += 2;                   c++;                  b |= 0;              i = c, i++;        p[11] = ~b;
    p[12] = i++ + ++i;        p[13] = sizeof(i++);  p[14] = (i = 3) + i; p[15] = i ?: 7;    p[16] = -h % 3;
    global int *q = p + 4, *r = &p[c];
    p[17] = q - p;            p[18] = q[-1];        p[19] = 2[q];        p[20] = *q++;      p[21] = *--q;
    p[22] = (q += i)[0];      p[23] = q < r;        p[24] = !q || r;     p[25] = *(p + i);  p[26] = (*&q)[1];
    s[1] = s[0];              s->v = s[1].v.wzyx;   s->a[i & 1] += 3;    (*s).v.x++;        p[27] = (&s[2])->a[0];
    s->v.s3 = s->v.s0 + 1;    s->v.lo *= 2.0f;      s->v.odd = s->v.hi;  p[28] = (s + 1)->a[1];
    float4 v = f;             v += 1;               v = v * f + 2;       v *= s->v;         v = -v;
    int4 m = v < s->v;        m = !m;               m = m && 1;          m <<= 2;           v = m ? v : s->v;
    v = b ? v : s->v;         m = (int4)i;          v.xy = v.yx;         v.s03 = (float2)(1, 2);
    p[29] = v.x + m.w + ((v.x < v.y) ? 1 : 0);
}
