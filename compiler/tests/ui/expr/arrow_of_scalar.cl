// C99 6.5.2.3: -> takes a pointer to a structure.
int f(global int *p, int a) { return p->x + a->x; }
