// C99 6.7.2.1: a member is an object.
struct S { int f(int); };
