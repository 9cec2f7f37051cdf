int a = 1;
__global int b;
const int c = 2;
__constant int d;
__constant int ok = 3;
__constant int *p = &ok;
__constant int *__constant q = &ok;
