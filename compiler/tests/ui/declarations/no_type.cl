// C99 6.7.2: a declaration has a type specifier.
constant x = 1;
f(void) { return 1; }
