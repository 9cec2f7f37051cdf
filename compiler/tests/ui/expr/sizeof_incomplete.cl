// C99 6.5.3.4: sizeof takes a complete type.
struct S;
ulong f(void) { return sizeof(struct S) + sizeof(int[]); }
