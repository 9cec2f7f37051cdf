// C99 6.5.16.2: as the operator and the assignment.
void f(global int *p, int a, float b) { p *= 2; a %= b; b <<= 1; p += p; }
