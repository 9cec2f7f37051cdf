// C99 6.10.2: nothing behind the header's name.
#include "macros.h" 3
