// OpenCL C 6.7.2: reqd_work_group_size is for kernels.
constant int a __attribute__((reqd_work_group_size(8, 1, 1))) = 1;
