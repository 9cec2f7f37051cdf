foo a;
bar *f(int x);
void g(baz x, qux *y, __global quux *z) {
    corge c;
    grault *d;
    const garply e = 0;
    foo ok;
    waldo(x);
}
__kernel void k(__global const fred *p) { plugh h = 1; }
int8 fine;
uchar32 not_fine;
