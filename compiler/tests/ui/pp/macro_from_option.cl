// options: -DVALUE=missing
// Macros of the command line.
kernel void k(global int *p) {
    p[0] = VALUE;
}
