void f(read_only int a) {}
void g(read_write image2d_t i) {}
