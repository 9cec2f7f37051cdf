// OpenCL C 6.3.g: && compares the components of vectors of one size.
void f(float4 a, int4 b) { a && b; }
