// C99 6.9.1, OpenCL C 6.9: a definition is a prototype.
int f(a, b) int a; float b; { return a; }
