// OpenCL C 6.5: a member has no address space.
struct S { global int a; local float b; };
