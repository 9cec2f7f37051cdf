// The operand of _Pragma contains a comment that does not end.
_Pragma("/* unroll") kernel void f(global int *p) { *p = 1; }
