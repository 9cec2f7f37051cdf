// options: -cl-std=CL1.0
// Names that newer versions have are the program's own.
typedef struct { float x, y, z; } float3;
typedef int image1d_t;
int popcount(uint x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
int printf(int x) { return x; }
float minmag(float a, float b) { return a < b ? a : b; }
int vec_step(image1d_t x) { return x + 1; }
kernel void k(global int *p, global float *f) {
    float3 v = {1, 2, 3};
    p[0] = popcount(p[1]) + printf(2) + vec_step(3) + clz(p[2]) + abs(p[3]);
    f[0] = minmag(v.x, v.z) + clamp(f[1], 0.0f, 1.0f);
}
