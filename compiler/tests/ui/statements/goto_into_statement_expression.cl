// GNU: no goto into a statement expression.
int f(int a) { goto l; return ({ l: a; a; }); }
