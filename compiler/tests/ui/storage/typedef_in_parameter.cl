// C99 6.7.5.3: register is the only one.
void f(typedef int a) { }
