// OpenCL C 6.12.7: vload takes a pointer to the element type.
void f(global int *p, global void *v) { vload4(0, v); vload5(0, p); vload4(0, 1); vload4(p, 0); }
