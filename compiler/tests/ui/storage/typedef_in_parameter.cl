// C99 6.7.5.3: register is the only storage class of a parameter.
void f(typedef int a) { }
