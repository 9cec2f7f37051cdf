// C99 6.5.4: no pointers from floats.
void f(float a, global int *p) { (global int *)a; (float)p; }
