// OpenCL C 6.12.1: one number.
void f(global int *p) { get_global_id(); get_local_id(p); get_work_dim(1); }
