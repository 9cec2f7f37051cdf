// OpenCL C 6.7.2: a work-group size is not negative.
kernel __attribute__((reqd_work_group_size(8, -1, 1))) void k(void) { }
