// OpenCL C 6.6: read_write is reserved.
kernel void f(read_write image2d_t i);
