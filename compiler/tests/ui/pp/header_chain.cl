// A position in a header names the includes.
#include "outer.h"
