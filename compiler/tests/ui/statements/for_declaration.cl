// C99 6.8.5: for declares automatic objects.
void f(void) { for (extern int i; ;) ; for (static int j; ;) ; }
