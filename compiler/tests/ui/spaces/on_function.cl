// OpenCL C 6.5: functions are in no address space.
global int f(void);
constant int g(void) { return 1; }
