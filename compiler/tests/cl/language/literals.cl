// C99 6.4.4, OpenCL C 6.1.6: literals of every form.
__constant int decimal[] = {0, 1, 2147483647, -2147483647 - 1, 1u, 0777, 0xFf, 0XAB, 0b101, 'a', '\n', '\x41', '\101', '\'', '"', '\0', '\e'};
__constant long longs[] = {9223372036854775807, 0x7fffffffffffffffL, 1l, 1LL, 0xffffffffffffffff, 18446744073709551615UL, 1uLL};
__constant float floats[] = {1.0f, .5f, 5.f, 1e3f, 1E-3f, 0x1p3f, 0x1.8p-1f, 0X.8P1F, 1.f, 3.4028235e38f, 1e-45f};
__constant double doubles[] = {1.0, .5, 5., 1e300, 0x1.fffffffffffffp1023, 4.9e-324, 1.0L};
__constant half halves[] = {1.0h, 0.5H, 65504.0h, 0x1p-24h};
__constant char text[] = "a\tb\\\"\x7f\101\0z" "joined";
__constant char array[8] = "abc";
__constant char exact[3] = "abc";
__constant float4 vector = (float4)(1, 2, 3, 4);
__constant int4 braces = {1, 2, 3, 4};
__constant int8 nested = (int8)((int4)(1), (int2)(2, 3), 4, 5);
__constant float3 table[2] = {(float3)(1, 2, 3), {4, 5, 6}};

kernel void literals(global float *out, global uint4 *u, float2 xy) {
    uint i = get_global_id(0);
    out[i] = decimal[i] + longs[i] + floats[i] + (float)doubles[i] + (float)halves[i] + text[i] + array[i] + exact[i];
    out[i] += vector.x + braces.y + nested.s7 + table[i].z;
    float4 v = (float4)(xy, xy), w = (float4)(1.0f), x = (float4)(0, xy, 1), y = (float4)((float3)(2), 1), z = {xy, 3, 4};
    float16 big = (float16)(v, w, (float8)(x, y));
    u[0] = (uint4)(1, 'a', 3u, (uint)i) + (uint4)1 + (uint4)(i);
    u[1] = (uint4){1, 2, 3, 4}, u[2] = ((uint4)(1, 2, 3, 4)).wzyx;
    out[0] = big.sf + z.w + (float4)(1, 2, 3, 4).y + ((float4)(v)).x + ((int2)(1, 2)).y + (float4)(1, 2, 3, 4).lo.y;
    out[1] = ((struct { int a; float b; }){1, 2.5f}).b + ((int[3]){1, 2, 3})[i % 3] + *(&(int){4});
}
