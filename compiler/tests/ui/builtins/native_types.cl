// OpenCL C 6.12.2: native functions are of float, so that other numbers become floats; nothing else does.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
float f(double a, int b) { return native_cos(a) + native_powr(b, 2) + native_divide(a, 1000.0); }
half g(half a) { return native_sin(a); }
float2 h(double2 a) { return native_cos(a); }
