// OpenCL C 6.5.3: at the kernel's scope.
void f(int n) { constant int a = 1; if (n) { constant int b = 2; } }
