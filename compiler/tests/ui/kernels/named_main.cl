// A kernel is not called main.
kernel void main(void) { }
