void f(int x) {
    if (x) {
        x = (1 + 2;
    }
    x = [3);
}
}
void g(int x) {
    x = 1 +;
}
void h(int x) {
    if (x) {
        x = 1;
}
