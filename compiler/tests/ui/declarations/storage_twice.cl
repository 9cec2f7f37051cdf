// C99 6.7.1: at most one storage class.
static extern int f(void);
typedef static int t;
