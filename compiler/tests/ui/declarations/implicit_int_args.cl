f(int a) { return a; }
