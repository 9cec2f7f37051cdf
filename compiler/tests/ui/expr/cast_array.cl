// C99 6.5.4: not to an array.
void f(int a) { (int[2])a; }
