// OpenCL C 6.7.2: work-group sizes are constants.
constant int n = 8;
kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(void) { }
kernel __attribute__((reqd_work_group_size(8.0f, 1, 1))) void l(void) { }
