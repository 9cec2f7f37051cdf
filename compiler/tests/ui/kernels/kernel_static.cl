static kernel void k(__global int *p) {}
