// OpenCL C 6.2.3: a conversion has a name of the table.
void f(float a) { convert_int_rtx(a); convert_float_sat(a); convert_foo(a); convert_bool(a); }
