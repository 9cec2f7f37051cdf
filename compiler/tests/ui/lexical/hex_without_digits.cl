// C99 6.4.4.1: a hexadecimal constant has digits.
int f(void) { return 0x; }
