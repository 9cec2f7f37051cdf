// C99 6.8.5: for has two semicolons.
void f(int a) { for (a = 1; a < 2) a++; }
