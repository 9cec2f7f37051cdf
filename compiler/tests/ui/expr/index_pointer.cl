// C99 6.5.2.1: an index is an integer.
int f(global int *p, global int *q) { return p[q]; }
