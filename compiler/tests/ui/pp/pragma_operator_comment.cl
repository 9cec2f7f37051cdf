// An operand whose comment does not end.
_Pragma("/* unroll") kernel void f(global int *p) { *p = 1; }
