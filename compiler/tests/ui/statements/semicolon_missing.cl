// C99 6.8.3: an expression statement ends.
void f(int a) {
    a = 1
    a = 2;
}
