// C99 6.7: declarations of a function agree.
int f(int a);
int f(float a) { return a; }
