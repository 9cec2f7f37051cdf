// OpenCL C 6.9.b: no image in a structure.
struct S { image2d_t a; };
