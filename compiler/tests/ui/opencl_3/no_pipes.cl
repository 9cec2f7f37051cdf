// options: -cl-std=CL3.0
// device: 3.1
// without: __opencl_c_pipes
#ifdef __opencl_c_pipes
#error "the feature has no macro"
#endif
kernel void k(read_only pipe int p, global int *x) {
  reserve_id_t id;
  get_pipe_num_packets(x);
}
