// An undeclared name is reported where it stands.
int f(int a) { return nope + nope; }
