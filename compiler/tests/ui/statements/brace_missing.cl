// C99 6.8.2: braces match.
void f(int a) {
    if (a) {
        a = 1;
}
