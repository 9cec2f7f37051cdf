// OpenCL C 6.5.3: with constants.
int g(void);
constant int a = g();
constant int b = 1, c = b;
