// OpenCL C 6.1.4: complex types are reserved.
void f(void) { float _Complex a; }
