struct __attribute__((aligned(3))) A { int a; };
struct __attribute__((mystery)) B { int a; };
int f(int a) __attribute__((unheard_of));
