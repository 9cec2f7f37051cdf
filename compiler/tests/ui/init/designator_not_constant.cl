// C99 6.7.8: [n] is constant.
void f(int n) { int a[2] = {[n] = 1}; }
