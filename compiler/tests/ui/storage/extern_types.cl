// C99 6.2.7: declarations of one object have one type, also those in functions.
constant int a = 1;
void f(void) { extern constant float a; }
void g(void) { extern constant int later; }
constant float later = 2;
void h(void) { later; }
