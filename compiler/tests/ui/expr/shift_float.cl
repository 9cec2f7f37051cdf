// C99 6.5.7: << takes integers.
void f(float a, int b) { a << 1; b << 1.0f; }
