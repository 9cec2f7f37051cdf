// C99 6.4.4.1: which suffixes an integer takes.
int f(void) { return 1lul + 2uu + 3q; }
