// OpenCL C 6.11.5: one argument.
void f(int n) {
    __attribute__((opencl_unroll_hint(1, 2))) for (int i = 0; i < n; i++) ;
}
