// OpenCL C 6.6: one access qualifier.
void f(read_only write_only image2d_t i);
