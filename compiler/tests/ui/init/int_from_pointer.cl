// C99 6.7.8: as in assignment.
void f(global int *p) { int n = p; }
