// OpenCL C 6.6: an image keeps its access.
void g(write_only image2d_t i);
void f(read_only image2d_t i) { g(i); }
