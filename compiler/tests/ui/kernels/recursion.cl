// OpenCL C 6.9.i: no recursion.
void g(int n);
void f(int n) { if (n) g(n - 1); }
void g(int n) { f(n); }
kernel void k(int n) { g(n); }
