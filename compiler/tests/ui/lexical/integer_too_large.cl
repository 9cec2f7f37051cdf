// C99 6.4.4: the value of a constant fits a type.
ulong f(void) { return 18446744073709551616; }
