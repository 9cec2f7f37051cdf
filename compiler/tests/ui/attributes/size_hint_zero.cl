// OpenCL C 6.7.2: work-group sizes are greater than 0.
kernel __attribute__((work_group_size_hint(0, 1, 1))) void k(void) { }
kernel __attribute__((work_group_size_hint(1, 1))) void l(void) { }
