// Conversions that change the value.
void f(void) { int a = 1.5f; uchar b = 300; }
