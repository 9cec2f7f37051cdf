// OpenCL C 6.1.7: components of a value are no objects.
float4 g(void);
void f(float4 a) { g().x = 1; (a + a).x = 1; }
