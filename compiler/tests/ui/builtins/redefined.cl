// A function of the program with a built-in's name.
float sin(float x) { return x; }
float f(float a) { return sin(a); }
