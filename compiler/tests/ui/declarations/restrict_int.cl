// C99 6.7.3: restrict qualifies pointers.
void f(int restrict a) { int *restrict ok; restrict int b; }
