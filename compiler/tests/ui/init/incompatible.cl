// C99 6.7.8: an initializer converts as in an assignment.
void f(int4 v) { int a = v; float4 b = v; int2 c = v; }
