// OpenCL C 6.5: members have no address space of their own.
struct S { constant int a; };
