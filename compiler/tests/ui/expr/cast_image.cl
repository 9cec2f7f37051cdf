// OpenCL C 6.9.b: no casts of images.
void f(read_only image2d_t i) { (int)i; }
