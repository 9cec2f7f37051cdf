// C99 6.5.16: = takes an object.
void f(int a) { 1 = a; (a + 1) = a; f = a; a++ = 1; }
