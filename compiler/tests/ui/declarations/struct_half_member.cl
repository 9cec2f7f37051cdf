// OpenCL C 6.1.1.1: half is a storage type only.
// without: cl_khr_fp16
struct S { half a; };
void f(void) { struct S s; s.a = s.a; }
