// C99 6.7.8: an initializer converts as in an assignment.
void f(global int *p) { int n = p; }
