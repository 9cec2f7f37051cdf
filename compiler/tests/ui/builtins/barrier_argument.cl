// OpenCL C 6.12.8: barrier takes one argument.
kernel void k(global int *p) { barrier(); barrier(p); barrier(CLK_LOCAL_MEM_FENCE, 1); }
