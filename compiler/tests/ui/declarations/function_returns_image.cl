// OpenCL C 6.9.b: a function returns no image.
image2d_t f(void);
