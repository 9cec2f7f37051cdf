// C99 6.9: no functions in functions.
void f(void) {
    int g(int a) { return a; }
}
