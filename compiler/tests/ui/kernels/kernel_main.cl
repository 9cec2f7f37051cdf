kernel void main(__global int *p) {}
