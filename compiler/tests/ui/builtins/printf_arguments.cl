// OpenCL C 6.12.13: arguments as the format says.
void f(int a) { printf("%d %d\n", a); printf("%d\n", a, a); printf("%s\n", a); }
