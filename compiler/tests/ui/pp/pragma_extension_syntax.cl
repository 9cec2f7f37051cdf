// OpenCL C 9.1: #pragma OPENCL EXTENSION name : behavior.
#pragma OPENCL EXTENSION
#pragma OPENCL EXTENSION cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 :
#pragma OPENCL EXTENSION cl_khr_fp64 enable
#pragma OPENCL EXTENSION cl_khr_fp64 : maybe
#pragma OPENCL EXTENSION all : enable
