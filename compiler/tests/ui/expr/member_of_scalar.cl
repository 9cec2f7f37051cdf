// C99 6.5.2.3: . takes a structure.
int f(int a) { return a.x; }
