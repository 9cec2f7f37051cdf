// C99 6.10.2: a header has a name.
#include ""
