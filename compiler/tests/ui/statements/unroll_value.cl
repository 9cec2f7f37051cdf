// OpenCL C 6.11.5: a positive constant.
void f(int n) {
    __attribute__((opencl_unroll_hint(0))) for (int i = 0; i < n; i++) ;
    __attribute__((opencl_unroll_hint(-1))) for (int i = 0; i < n; i++) ;
    __attribute__((opencl_unroll_hint(n))) for (int i = 0; i < n; i++) ;
    __attribute__((opencl_unroll_hint(2.5f))) for (int i = 0; i < n; i++) ;
}
