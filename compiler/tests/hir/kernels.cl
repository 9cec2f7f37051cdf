typedef struct { float4 a; } Pod;
typedef global float *FloatPtr;
struct Tagged { int x; };
constant int table[2] = {1, 2};
void helper(local int *l) { l[0] = 1; }
kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(unsigned int)))
void k(global const uint4 *restrict a, constant float *b, local int *c, Pod d, struct Tagged e, unsigned char f,
       FloatPtr g, volatile global unsigned int *h, const float i, global struct Tagged j[], ulong2 l) {
    local int scratch[16], more;
    constant int inner[2] = {3, 4};
    scratch[f] = table[0] + inner[1];
    more = c[0];
    helper(scratch);
    h[0] = a[0].x;
}
kernel __attribute__((work_group_size_hint(16, 1, 1))) void second(global uint4 *a, local int *c) {
    Pod p = { (float4)(0) };
    struct Tagged t = { 1 };
    k(a, 0, c, p, t, 1, 0, 0, 1, 0, (ulong2)(1, 2));
}
