// C99 6.7: a scope has one definition of a name.
void f(int a) {
    float b;
    int b;
    int a;
}
