// OpenCL C 6.11: unknown attributes are ignored.
void f(int a) __attribute__((nonsense));
struct __attribute__((strange(1, "x"))) S { int a; };
void g(void) { int b __attribute__((odd)); }
