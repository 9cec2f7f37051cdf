// C99 6.7.2.3: an enum is defined before its use.
void f(void) { enum E x; }
