struct A { __global int x; };
struct B { event_t e; };
struct C { int a; float a; };
struct D { int f(int); };
struct E { int a; struct { int b; int a; }; };
union F { image2d_t i; };
