// C99 6.7.3: restrict qualifies pointers to objects.
typedef int fn(int);
void f(void) { restrict fn *p; }
