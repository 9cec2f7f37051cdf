// The result of a void function.
kernel void k(void) { int a = barrier(1); mem_fence(1) + 1; }
