// C11's _Generic is not part of it.
int f(int a) { return _Generic(a, int: 1, default: 2); }
