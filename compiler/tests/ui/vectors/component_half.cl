// OpenCL C 6.1.7: .lo, .hi, .even, .odd
void f(float4 v) { v.low; v.lo.x = 1; v.hi.hi.hi; v.loo; }
