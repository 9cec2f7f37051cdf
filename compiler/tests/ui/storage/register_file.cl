// OpenCL C 6.8: no register.
register int a;
