// A variable hides a built-in function.
float f(float sin) { return sin(1.0f); }
