// C99 6.5.2.5: compound literals.
struct S;
void f(void) { (struct S){1}; (int){1, 2}; (int[]){1, 2} = 0; }
