// OpenCL C 6.12.2: FP_CONTRACT is on at first; outside of functions it goes to the end of the source, at the start
// of a block to the end of the block.
float by_default(float a, float b, float c) { return a * b + c; }
#pragma OPENCL FP_CONTRACT OFF
float off(float a, float b, float c) { return a * b + c; }
float on_inside(float a, float b, float c) {
#pragma OPENCL FP_CONTRACT ON
    float x = a * b + c;
    {
        #pragma STDC FP_CONTRACT OFF
        x += a * b;
        if (x > 0) {
            _Pragma("OPENCL FP_CONTRACT ON")
            x += b * c;
        }
        x -= a * c;
    }
    return x * a + b;
}
float off_again(float a, float b, float c) { return a * b + c; }
#pragma OPENCL FP_CONTRACT DEFAULT
float by_default_again(float a, float b, float c) { return a * b + c; }
