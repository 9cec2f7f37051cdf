// C99 6.8.4: a declaration is no statement.
void f(int a) { if (a) int b = 1; while (a) int c = 2; }
