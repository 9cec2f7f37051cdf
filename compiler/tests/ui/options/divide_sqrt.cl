// options: -cl-fp32-correctly-rounded-divide-sqrt
kernel void k(global float *p) { p[0] = p[1] / p[2]; }
