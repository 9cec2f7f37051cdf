__constant int table[2] = {1, 2};
struct S { const int a; int b; };
kernel void k(__global const int *p, const int n) {
    const float f = 1;
    struct S s = {1, 2};
    p[0] = 1;
    n = 2;
    f += 1;
    table[0] = 3;
    s.a = 1;
    s = s;
    ++n;
}
