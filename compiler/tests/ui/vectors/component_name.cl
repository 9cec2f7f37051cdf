// OpenCL C 6.1.7: names of components.
void f(float16 v) { v.q; v.sg; v.s; v.xg; v.r; }
