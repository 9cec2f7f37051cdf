// C99 6.7.5.3: names of parameters differ.
int f(int a, float a) { return a; }
