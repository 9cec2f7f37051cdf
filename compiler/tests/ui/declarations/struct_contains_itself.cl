// C99 6.7.2.1: a member is complete.
struct S { int a; struct S b; };
