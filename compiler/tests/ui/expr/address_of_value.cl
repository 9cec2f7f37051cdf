// C99 6.5.3.2: & takes an object.
void f(int a) { &1; &(a + 1); &a++; }
