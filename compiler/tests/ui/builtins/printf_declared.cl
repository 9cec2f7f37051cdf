// What 6.12.13 declares may be said again, nothing else.
int printf(constant char *restrict format, ...);
extern int printf(__constant const char *, ...);
void printf(constant char *, ...);
int printf(constant float *, ...);
int printf(int, constant char *, ...);
int other(constant char *, ...);
kernel void f(int a) { printf("%d", a); }
