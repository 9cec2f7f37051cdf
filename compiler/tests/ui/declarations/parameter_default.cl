// C99 6.7.5.3: parameters have no initializers.
void f(int a = 1) { }
