int declared(enum { FEW = 1 } e);
int defined(enum { MANY = 2 } e) { return e == MANY; }
kernel void k(global int *o) {
  o[0] = FEW;
  o[1] = MANY;
}
