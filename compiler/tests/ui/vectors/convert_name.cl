// OpenCL C 6.2.3: names of conversions.
void f(float a) { convert_int_rtx(a); convert_float_sat(a); convert_foo(a); convert_bool(a); }
