// OpenCL C 6.3: as the operator and the assignment.
void f(int4 v, int2 w, int a, float4 g) { v += w; a += v; v += g; v <<= w; }
