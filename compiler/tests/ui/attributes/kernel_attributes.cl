__attribute__((reqd_work_group_size(8, 8))) kernel void a(__global int *p) {}
__attribute__((reqd_work_group_size(8, 0, 1))) kernel void b(__global int *p) {}
kernel __attribute__((work_group_size_hint(-1, 1, 1))) void c(__global int *p) {}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) __attribute__((reqd_work_group_size(8, 1, 1)))
void d(__global int *p) {}
kernel __attribute__((no_such_thing)) void e(__global int *p) {}
