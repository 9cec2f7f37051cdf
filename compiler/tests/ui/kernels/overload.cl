// Functions are overloaded only where they say so.
void f(int a) { }
void f(float a) { }
