_Static_assert(sizeof(int) == 4);
_Static_assert(sizeof(int) == 8);
kernel void f(void) { _Static_assert(sizeof(long) == 4); }
