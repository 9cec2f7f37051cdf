// without: cl_khr_cooperative_matrix
// Devices without sub-groups, such as all without 64-bit integers, have no cooperative matrices.
#ifdef cl_khr_cooperative_matrix
#error "there are matrices"
#endif
typedef float __attribute__((coop_mat(3, 16, 16, 2))) sum_t;
kernel void k(global float *p) {}
