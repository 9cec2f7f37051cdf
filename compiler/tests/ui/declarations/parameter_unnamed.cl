// C99 6.9.1: parameters of a definition have names. Clang has it as an extension that they need not.
int f(int, float a) { return a; }
