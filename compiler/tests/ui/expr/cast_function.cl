// C99 6.5.4: not to a function.
typedef int fn(int);
void f(int a) { (fn)a; }
