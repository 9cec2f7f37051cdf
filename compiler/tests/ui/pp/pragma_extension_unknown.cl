// OpenCL C 9.1: unsupported extensions.
#pragma OPENCL EXTENSION cl_nobody_knows : enable
#pragma OPENCL EXTENSION cl_nobody_knows : disable
