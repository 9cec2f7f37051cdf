// options: -cl-std=CL1.0
// -cl-std=CL1.0
#if __OPENCL_C_VERSION__ != 100
#error version
#endif
