// OpenCL C 6.3.f: bit operations take vectors of one type.
void f(int4 a, uint4 b) { a & b; }
