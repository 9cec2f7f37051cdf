// C99 6.5.2.5: an object type.
void f(void) { (void){0}; }
