// C99 6.10.2: nothing may follow the header's name.
#include "macros.h" 3
