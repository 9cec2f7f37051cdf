// OpenCL C 6.1.7: components occur once.
void f(int4 v) { v.xx++; v.xy++; }
