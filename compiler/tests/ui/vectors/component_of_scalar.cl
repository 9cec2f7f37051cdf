// OpenCL C 6.1.7: scalars have no components.
float f(float a) { return a.x + 1.0f.s0; }
