// OpenCL C 6.9: no event in a structure.
struct S { event_t a; };
