// options: -DA=1 -UA
// -U
#ifdef A
#error defined
#endif
int f(void) { return A; }
