// C99 6.7: a declaration declares something.
struct S { int; };
int;
struct { int a; };
