// OpenCL C 6.12.13: conversions of the format.
void f(int a) { printf("%n\n", a); printf("%y\n", a); printf("%"); printf("%v4d\n", a); }
