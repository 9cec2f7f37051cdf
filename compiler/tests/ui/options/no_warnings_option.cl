// options: -w
kernel __attribute__((mystery)) void k(__global int *out, int a) { out[0] = a / 0; }
