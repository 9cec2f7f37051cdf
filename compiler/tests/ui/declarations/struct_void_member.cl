// C99 6.7.2.1: a member is complete.
struct S { void a; };
