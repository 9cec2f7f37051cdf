// C99 6.5.6: the difference of pointers to different types is an error.
void f(global int *p, global float *q) { p - q; }
