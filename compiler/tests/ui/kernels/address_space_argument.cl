// OpenCL C 6.5: parameters are private.
kernel void k(global int a, local int b, constant float4 c) { }
