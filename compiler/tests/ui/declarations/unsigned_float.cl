// C99 6.7.2: which specifiers go together.
void f(void) {
    unsigned float a;
    signed double b;
}
