// C99 6.5.3.4: of a complete type.
ulong f(void) { return sizeof(void); }
