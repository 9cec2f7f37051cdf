// OpenCL C 6.3.f: ~ takes an integer.
float f(float a, float4 v) { ~v; return ~a; }
