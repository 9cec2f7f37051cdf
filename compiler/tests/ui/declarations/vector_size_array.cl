// C99 6.7.5.2: sizes are integers.
void f(int4 n) { int a[n]; }
