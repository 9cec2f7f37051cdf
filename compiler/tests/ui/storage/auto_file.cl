// OpenCL C 6.8: no auto.
auto int a;
void f(auto int b) { }
