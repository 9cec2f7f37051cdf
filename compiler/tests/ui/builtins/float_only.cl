// OpenCL C 6.12.2: floats.
void f(int4 a, int b) { sin(a); sqrt(a); fmod(a, a); }
