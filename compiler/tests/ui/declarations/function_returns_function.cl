// C99 6.7.5.3: a function returns neither an array nor a function.
typedef int fn(int);
fn f(void);
