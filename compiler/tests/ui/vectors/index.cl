// OpenCL C 6.1.7: vectors are not indexed with other things.
void f(float4 v, float i, global int *p) { v[i]; v[p]; v[1]; }
