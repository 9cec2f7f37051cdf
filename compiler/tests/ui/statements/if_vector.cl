// C99 6.8.4.1: if takes a scalar.
void f(int4 v) { if (v) ; while (v == v) ; }
