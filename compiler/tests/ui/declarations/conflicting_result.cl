// C99 6.7: declarations of a function agree.
int f(int a);
float f(int a);
