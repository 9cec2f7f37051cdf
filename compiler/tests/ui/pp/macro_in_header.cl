// Macros of a header.
#include "macros.h"
kernel void k(global int *p) {
    p[0] = FROM_HEADER(p);
}
