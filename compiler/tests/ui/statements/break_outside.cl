// C99 6.8.6.3: break stands in a loop or switch.
void f(void) { break; }
