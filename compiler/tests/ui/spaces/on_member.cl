// OpenCL C 6.5: members are in none.
struct S { constant int a; };
