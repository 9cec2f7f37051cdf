// C99 6.7.8: as in assignment.
void f(int4 v) { int a = v; float4 b = v; int2 c = v; }
