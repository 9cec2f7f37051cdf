// OpenCL C 6.5.3: string literals are __constant.
void f(void) { global char *p = "a"; const char *q = "b"; constant char *ok = "c"; }
