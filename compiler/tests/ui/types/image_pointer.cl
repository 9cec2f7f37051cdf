// OpenCL C 6.9.b: no pointers to images.
void f(read_only image2d_t *p);
