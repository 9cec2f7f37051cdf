// C99 6.4.9: a comment ends.
int f(int a) { return a; } /* never
ending
