struct P { int x, y; };
kernel void k(__global int *out) {
    struct P a = {.x = 1, .z = 2};
    int b[2] = {[2] = 1};
    int c = {1, 2};
    struct P d = 1;
    int e[2] = {[-1] = 1};
    float4 f = {1, 2};
    float4 g = {1, 2, 3, 4, 5};
    struct P h = {1, 2, 3};
    int i = {{1}};
}
