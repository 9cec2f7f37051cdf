// A position in a macro's argument is the argument's.
#define TWICE(x) ((x) + (x))
kernel void k(global int *p) {
    p[0] = TWICE(missing);
}
