// C99 6.5.3.2: * takes a pointer.
int f(int a) { return *a; }
