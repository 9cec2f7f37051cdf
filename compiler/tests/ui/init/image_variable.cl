// OpenCL C 6.9.b: no variables of image type.
void f(read_only image2d_t i) { image2d_t j = i; }
