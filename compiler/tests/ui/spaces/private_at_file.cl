// OpenCL C 6.8: variables of the program are __constant.
int a;
private int b = 1;
const int c = 3;
static int d = 4;
float4 e = (float4)(1);
