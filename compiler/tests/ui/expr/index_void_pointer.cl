// C99 6.5.2.1: the pointee is an object.
int f(global void *p) { return p[1]; }
