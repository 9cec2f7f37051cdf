// C99 6.5.4: a cast to a function type is an error.
typedef int fn(int);
void f(int a) { (fn)a; }
