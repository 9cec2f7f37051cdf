// options: -w -Werror
// -w takes the warnings away before -Werror makes errors of them.
#warning gone
kernel void k(global int *p) { p[0] = p[1] / 0; }
