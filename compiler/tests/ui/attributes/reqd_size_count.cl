// OpenCL C 6.7.2: reqd_work_group_size takes three arguments.
kernel __attribute__((reqd_work_group_size(8, 1))) void k(void) { }
kernel __attribute__((reqd_work_group_size)) void l(void) { }
