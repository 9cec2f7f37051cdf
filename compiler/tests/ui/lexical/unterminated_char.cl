// C99 6.4.4.4: a character constant ends on its line.
int f(void) { return 'a; }
