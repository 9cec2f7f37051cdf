// C99 6.7.8: an initializer converts as in an assignment.
void f(int n) { global int *p = n; global int *q = 1; }
