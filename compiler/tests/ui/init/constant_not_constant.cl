// OpenCL C 6.5.3: __constant variables are initialized with constants.
int g(void);
constant int a = g();
constant int b = 1, c = b;
