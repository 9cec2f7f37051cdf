// options: -cl-std=CL3.0
// device: 3.1
// without: __opencl_c_generic_address_space
int *f(global int *g, int *p) { return g; }
void h(generic int *p) { to_global(p); }
#ifdef __opencl_c_generic_address_space
#error "the feature has no macro"
#endif
