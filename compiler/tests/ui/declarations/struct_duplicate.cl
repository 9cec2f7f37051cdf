// C99 6.7.2.1: names of members differ.
struct S { int a; float a; };
struct T { int a; union { int a; float b; }; };
