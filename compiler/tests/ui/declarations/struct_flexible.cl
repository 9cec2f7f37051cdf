// C99 6.7.2.1: a flexible array is last.
struct S { int a[]; int b; };
struct T { int a[]; };
