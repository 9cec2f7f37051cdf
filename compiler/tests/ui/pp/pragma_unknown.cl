// C99 6.10.6: pragmas that are not known are ignored.
#pragma nonsense here
#pragma OPENCL NONSENSE x
