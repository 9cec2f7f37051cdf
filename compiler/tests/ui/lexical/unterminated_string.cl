// C99 6.4.5: a string literal ends on its line.
__constant char text[] = "abc;
int ok(void) { return nothing; }
