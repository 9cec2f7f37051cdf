// C99 6.7.8: as in assignment.
void f(int n) { global int *p = n; global int *q = 1; }
