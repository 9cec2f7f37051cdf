// C99 6.5.4: a cast to an array type is an error.
void f(int a) { (int[2])a; }
