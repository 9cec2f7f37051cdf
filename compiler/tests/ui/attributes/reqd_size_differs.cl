// OpenCL C 6.7.2: a kernel has one work-group size.
kernel __attribute__((reqd_work_group_size(8, 1, 1), reqd_work_group_size(4, 1, 1))) void k(void) { }
