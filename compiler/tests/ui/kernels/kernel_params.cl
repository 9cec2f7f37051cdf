struct WithPointer { int a; __global int *p; };
struct WithBool { bool b; };
typedef size_t my_size;
kernel void a(int *p) {}
kernel void b(__global int **p) {}
kernel void c(bool x) {}
kernel void d(size_t x) {}
kernel void e(event_t x) {}
kernel void f(struct WithPointer s) {}
kernel void g(struct WithBool s) {}
kernel void h(my_size x) {}
kernel void i(__global int x) {}
kernel void j(ptrdiff_t x, uintptr_t y) {}
