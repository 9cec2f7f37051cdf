void f(int n, ...) {}
