// Functions of the user's that have the names of built-in functions stand beside these.
float4 clamp(float4 v) { return v * 2; }
float mix(float a, float b) { return a + b; }
int max(int a, int b) { return a > b ? a + 1 : b + 1; }
__kernel void names_of_builtins(__global float4* o, __global int* n) {
  o[0] = clamp(o[0], 0.0f, 1.0f) + clamp(o[1]) + mix(1.0f, 2.0f) + mix(1.0f, 2.0f, 0.5f);
  n[0] = max(n[1], n[2]) + max((int2)(1, 5), (int2)(3, 2)).y;
}
