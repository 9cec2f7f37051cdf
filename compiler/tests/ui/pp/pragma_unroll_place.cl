// #pragma unroll stands before a loop.
void f(global int *p) {
#pragma unroll
    p[0] = 1;
}
