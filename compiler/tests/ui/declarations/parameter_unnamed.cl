// C99 6.9.1: parameters of a definition have names.
int f(int, float a) { return a; }
