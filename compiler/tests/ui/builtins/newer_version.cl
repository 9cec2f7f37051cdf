// Functions of OpenCL 2.0 and later.
void f(global int *p) { work_group_reduce_add(1); get_global_linear_id(); atomic_load(p); ctz(1); }
