// C99 6.7.5.3: parameters of a definition are complete.
struct S;
kernel void k(struct S s) { }
