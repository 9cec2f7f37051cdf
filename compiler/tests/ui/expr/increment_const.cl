// C99 6.5.2.4: ++ takes a modifiable object.
void f(const int a, constant int *p) { a++; --*p; }
