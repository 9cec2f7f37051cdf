// Before OpenCL C 2.0, `generic` and the functions for generic pointers are names as any other.
int generic(int to_global) { return to_global; }
int to_local(int x) { return generic(x); }
kernel void k(global int *p) { *p = to_local(*p); int *q = p; }
