// C99 6.7: one definition in a scope.
void f(int a) {
    float b;
    int b;
    int a;
}
