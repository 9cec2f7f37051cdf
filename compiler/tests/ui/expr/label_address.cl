// GNU label addresses are not part of it.
void f(void) { l: &&l; }
