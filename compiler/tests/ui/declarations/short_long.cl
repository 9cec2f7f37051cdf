// C99 6.7.2: which specifiers go together.
void f(void) {
    short long a;
    signed unsigned b;
}
