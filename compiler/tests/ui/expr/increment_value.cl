// C99 6.5.2.4: ++ takes an object.
void f(int a) { 1++; (a + 1)--; ++f; }
