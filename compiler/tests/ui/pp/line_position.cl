// C99 6.10.4: positions follow #line.
#line 100 "other.cl"
int f(void) { return x; }
