// OpenCL C 6.9.b: images are parameters.
void f(void) { image2d_t i; }
constant image3d_t j;
