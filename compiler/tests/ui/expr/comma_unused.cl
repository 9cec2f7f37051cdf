// C99 6.5.17: each operand is checked.
int f(int a) { return nope, a; }
