// C99 6.5.7: << takes integers.
void f(global int *p) { p << 1; 1 >> p; }
