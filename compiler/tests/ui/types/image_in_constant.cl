// OpenCL C 6.9.b: images are parameters.
global image2d_t i;
