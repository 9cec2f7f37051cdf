// C99 6.7.2: the type specifiers do not go together.
void f(void) {
    short long a;
    signed unsigned b;
}
