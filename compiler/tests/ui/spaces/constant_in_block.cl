// OpenCL C 6.5.3: __constant variables are declared at the kernel's outermost scope.
void f(int n) { constant int a = 1; if (n) { constant int b = 2; } }
