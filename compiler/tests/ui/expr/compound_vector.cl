// OpenCL C 6.3: a compound assignment has the rules of its operator and of assignment.
void f(int4 v, int2 w, int a, float4 g) { v += w; a += v; v += g; v <<= w; }
