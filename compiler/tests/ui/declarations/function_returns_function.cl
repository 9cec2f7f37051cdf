// C99 6.7.5.3: what a function returns.
typedef int fn(int);
fn f(void);
