// C99 6.9: functions are not defined in functions.
void f(void) {
    int g(int a) { return a; }
}
