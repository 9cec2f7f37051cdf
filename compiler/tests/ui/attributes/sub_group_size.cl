// cl_intel_required_subgroup_size: one size, a power of 2, of a kernel.
__attribute__((intel_reqd_sub_group_size(16))) kernel void good(global int *p) { p[0] = 1; }
__attribute__((intel_reqd_sub_group_size(12))) kernel void odd(global int *p) { p[0] = 1; }
__attribute__((intel_reqd_sub_group_size(0))) kernel void none(global int *p) { p[0] = 1; }
__attribute__((intel_reqd_sub_group_size(256))) kernel void large(global int *p) { p[0] = 1; }
__attribute__((intel_reqd_sub_group_size)) kernel void without(global int *p) { p[0] = 1; }
__attribute__((intel_reqd_sub_group_size(16))) void helper(global int *p) { p[0] = 1; }
