// Division by a constant zero.
int f(int a) { return a / 0 + a % 0; }
