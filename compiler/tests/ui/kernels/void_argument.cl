// C99 6.7.5.3: void is no parameter.
kernel void k(void a) { }
