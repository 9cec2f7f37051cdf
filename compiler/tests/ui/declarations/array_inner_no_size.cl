// C99 6.7.5.2: elements are complete.
void f(int x[][]) { int y[2][]; }
