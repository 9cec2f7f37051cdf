// C99 6.4.4.2: a hexadecimal floating constant has an exponent.
float f(void) { return 0x1.8; }
