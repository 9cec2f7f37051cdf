// C99 6.5.2.1: [] takes a pointer.
int f(int a) { return a[0]; }
