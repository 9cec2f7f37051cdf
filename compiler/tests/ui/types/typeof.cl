kernel void f(global const int *p, constant float4 *v) {
    __typeof__(p[0]) x = 1;
    x = 2;
    __typeof__(*v) y;
    __typeof__(int[2]) z = {1, 2};
    __typeof__(f) *w;
    __typeof__(unknown) u;
    z = 0;
}
