// C99 6.5.3.4: sizeof takes a complete type.
ulong f(void) { return sizeof(void); }
