// C99 6.5.16: = takes a modifiable object.
void f(const int a, global const int *p) { a = 1; *p = 2; p[1] += 3; }
