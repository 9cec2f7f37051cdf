// OpenCL C 6.9: functions are declared.
int f(int a) { return undeclared(a) + dto(1, 2); }
