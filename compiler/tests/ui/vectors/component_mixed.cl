// OpenCL C 6.1.7: one way to name components.
void f(float4 v) { v.x0; v.s0y; v.xs1; }
