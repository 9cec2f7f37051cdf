// options: -cl-single-precision-constant
float f(float x) { return x * 0.1 + 1e-3; }
