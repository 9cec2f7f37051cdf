// C99 6.5.2.5: a compound literal has an object type.
void f(void) { (void){0}; }
