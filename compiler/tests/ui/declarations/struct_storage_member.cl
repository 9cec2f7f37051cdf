// C99 6.7.2.1: members have no storage class.
struct S { static int a; };
