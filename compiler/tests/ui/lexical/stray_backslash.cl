// C99 6.4: a backslash that continues no line.
int f(int a) { return a \ 1; }
