// Constant indices outside of the array.
int f(void) { int a[2] = {0}; return a[2] + a[-1]; }
