// OpenCL C 6.3.a: % takes integers.
void f(float a, float4 v) { a % 2; v % v; }
