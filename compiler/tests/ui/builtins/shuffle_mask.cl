// OpenCL C 6.12.12: an unsigned mask of the element's width.
void f(float4 a, int4 m, uint4 u, ushort4 s) { shuffle(a, m); shuffle(a, u); shuffle(a, s); }
