// C99 6.5.1: an identifier is declared.
int f(int count) { return cuont + missing; }
