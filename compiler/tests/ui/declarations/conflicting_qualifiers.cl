// C99 6.7: declarations of a function agree.
int f(global int *a);
int f(local int *a) { return *a; }
