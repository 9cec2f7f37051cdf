// OpenCL C 6.7.2: what no device can have; a hint may say so.
kernel __attribute__((reqd_work_group_size(65536, 1, 1))) void k(void) { }
kernel __attribute__((reqd_work_group_size(1, 1, 0xffffffff))) void l(void) { }
kernel __attribute__((work_group_size_hint(65536, 1, 1), reqd_work_group_size(65535, 1, 1))) void m(void) { }
