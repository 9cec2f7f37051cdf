// C99 6.10.2: the header exists.
#include "missing.h"
int f(void) { return x; }
