// options: -cl-std=CL3.0
// device: 3.1
// without: __opencl_c_program_scope_global_variables
int a = 1;
global int b;
constant int c = 2;
#ifdef __opencl_c_program_scope_global_variables
#error "the feature has no macro"
#endif
kernel void k(global int *o) {
  static int d;
  *o = c;
}
