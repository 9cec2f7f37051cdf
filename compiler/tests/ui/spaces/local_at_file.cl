// OpenCL C 6.5.2: __local variables belong to kernels.
local int a;
