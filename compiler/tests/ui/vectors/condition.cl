// OpenCL C 6.3: a vector is no condition.
void f(int4 v) { if (v) ; v ? 1 : 2; for (; v;) ; }
