// One overload must be the best.
int __attribute__((overloadable)) f(int a, float b) { return 1; }
int __attribute__((overloadable)) f(float a, int b) { return 2; }
int g(void) { return f(1, 2); }
int h(void) { return f(1, 2, 3); }
