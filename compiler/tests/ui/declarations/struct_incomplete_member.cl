// C99 6.7.2.1: a member is complete.
struct T;
struct S { int a; struct T b; };
