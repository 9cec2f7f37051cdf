// C99 6.7.5.3: storage classes of parameters.
void f(static int a);
void g(extern int a) { }
