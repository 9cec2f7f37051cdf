// C99 6.7.5.2: elements are objects.
typedef int fn(int);
void f(void) { fn x[2]; }
