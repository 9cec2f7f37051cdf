// OpenCL C 6.11.5: the hint stands before a loop.
void f(int a) {
    __attribute__((opencl_unroll_hint(2)))
    if (a) a = 1;
}
