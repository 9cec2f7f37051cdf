// OpenCL C 6.9.b: no arrays of images.
void f(read_only image2d_t x[2]);
