// OpenCL C 6.11.3: host or device.
struct S { int a __attribute__((endian(host))); int b __attribute__((endian(middle))); };
void f(global int *p __attribute__((endian))) { }
