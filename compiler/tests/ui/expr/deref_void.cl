// C99 6.5.3.2: a void object has no value.
int f(global void *p) { return *p; }
