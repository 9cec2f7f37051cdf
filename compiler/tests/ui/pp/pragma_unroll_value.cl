// #pragma unroll takes a positive number.
void f(global int *p, int n) {
#pragma unroll 0
    for (int i = 0; i < n; i++) p[i] = 1;
#pragma unroll -1
    for (int i = 0; i < n; i++) p[i] = 1;
#pragma unroll 4 5
    for (int i = 0; i < n; i++) p[i] = 1;
#pragma unroll (4
    for (int i = 0; i < n; i++) p[i] = 1;
#pragma nounroll 4
    for (int i = 0; i < n; i++) p[i] = 1;
}
