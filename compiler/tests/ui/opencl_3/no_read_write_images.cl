// options: -cl-std=CL3.0
// device: 3.1
// without: __opencl_c_read_write_images
#ifdef __opencl_c_read_write_images
#error "the feature has no macro"
#endif
kernel void k(read_write image2d_t im) {}
