// OpenCL C 6.5: parameters are private.
void f(global int a);
void g(local float4 a) { }
void h(constant int a[2]);
