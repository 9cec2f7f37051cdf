// OpenCL C 6.2.2: no casts from vectors to pointers.
void f(ulong2 v, global int *p) { (global int *)v; (ulong2)p; }
