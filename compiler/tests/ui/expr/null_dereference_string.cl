// OpenCL C 6.1: string literals are constant.
void f(void) { char *p = "abc"; constant char *q = "abc"; "abc"[0] = 1; }
