f() { return 1; }
x = 3;
int;
return 3;
int a b;
int c[;
typedef int;
void g(int a int b) {}
void h(int a,) {}
kernel void k(global int *p { }
enum { A B };
struct { int : ; } s;
;
if (1) { }
