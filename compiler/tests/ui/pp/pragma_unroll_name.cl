// #pragma unroll takes a constant.
void f(int n) {
#pragma unroll n
    for (int i = 0; i < n; i++) ;
#pragma unroll missing
    for (int i = 0; i < n; i++) ;
}
