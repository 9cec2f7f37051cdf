// OpenCL C 6.8: extern variables are __constant.
extern int a;
extern global int b;
extern local int c;
