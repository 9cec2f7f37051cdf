// C99 7.12.2: FP_CONTRACT stands outside or at the start of a block.
float f(float a, float b) {
    float c = a * b;
#pragma OPENCL FP_CONTRACT OFF
    return c + a;
}
