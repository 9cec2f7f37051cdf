// C99 6.7.2: the type specifiers do not go together.
void f(void) {
    unsigned float a;
    signed double b;
}
