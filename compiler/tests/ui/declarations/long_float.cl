// C99 6.7.2: which specifiers go together.
void f(void) {
    long float a;
    short double b;
}
