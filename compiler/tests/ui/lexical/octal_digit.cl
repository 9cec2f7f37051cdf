// C99 6.4.4.1: octal digits end at 7.
int f(void) { return 0129; }
