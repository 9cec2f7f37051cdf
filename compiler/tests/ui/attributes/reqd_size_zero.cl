// OpenCL C 6.7.2: work-group sizes are greater than 0.
kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) { }
