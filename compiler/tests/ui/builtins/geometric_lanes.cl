// OpenCL C 6.12.5: 2, 3 or 4 components.
void f(float8 a, float2 b) { length(a); cross(b, b); dot(a, a); }
