// C99 6.7.2: which specifiers go together.
void f(void) {
    int float a;
    char double b;
}
