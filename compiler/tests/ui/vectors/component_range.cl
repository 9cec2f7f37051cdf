// OpenCL C 6.1.7: components that the vector has.
void f(float2 a, float3 b, float4 c) { a.z; b.w; b.s3; c.s4; a.xyz; }
