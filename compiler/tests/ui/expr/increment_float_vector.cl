// OpenCL C 6.3.f: no ++ on vectors of floats.
void f(float4 v) { v++; --v; }
