// OpenCL C 6.12: integers where floats are expected.
void f(int a) { sqrt(a); pow(a, 2); }
