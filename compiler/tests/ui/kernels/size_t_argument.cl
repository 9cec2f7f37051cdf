// OpenCL C 6.9.k: a kernel's argument is not a size_t.
kernel void k(size_t a, ptrdiff_t b, intptr_t c, uintptr_t d) { }
