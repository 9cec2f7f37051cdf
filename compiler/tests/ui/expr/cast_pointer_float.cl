// C99 6.5.4: floating-point numbers are not cast to pointers.
void f(float a, global int *p) { (global int *)a; (float)p; }
