// options: -D A -DB=2 -D "C=3 + 4" -D 'D(x)=x * 2' -DE=\"text\" -DF="\"a b\"" -D G= -U A -DH='"q"' -D I=x=y
// Every form of quoting that other implementations take.
#ifdef A
#error A
#endif
#if B != 2 || C != 7 || D(4) != 8
#error numbers
#endif
constant char e[] = E, f[] = F, h[] = H;
_Static_assert(sizeof(e) == 5 && sizeof(f) == 4 && sizeof(h) == 2, "strings");
G kernel void k(global int *p) { int x, y = 3; I; p[0] = x; }
