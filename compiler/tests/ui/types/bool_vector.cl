// OpenCL C 6.1.4: vectors of bool are reserved.
void f(void) { bool4 a; }
