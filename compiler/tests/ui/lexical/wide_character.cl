// OpenCL C has no wide characters; those of ASCII have the value of plain ones.
int f(void) { return L'x' + L'\n'; }
int g(void) { return L'β'; }
