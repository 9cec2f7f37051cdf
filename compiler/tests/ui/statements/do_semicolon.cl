// C99 6.8.5: do ends with a semicolon.
void f(int a) { do a++; while (a < 2) a = 1; }
