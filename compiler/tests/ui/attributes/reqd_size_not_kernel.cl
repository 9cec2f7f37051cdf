// OpenCL C 6.7.2: reqd_work_group_size is for kernels.
__attribute__((reqd_work_group_size(8, 1, 1))) void f(void) { }
__attribute__((work_group_size_hint(8, 1, 1))) void g(void) { }
__attribute__((vec_type_hint(float4))) void h(void) { }
