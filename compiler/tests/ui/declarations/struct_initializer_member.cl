// C99 6.7.2.1: members have no initializers.
struct S { int a = 3; };
