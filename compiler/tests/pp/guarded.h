// A comment in front does not matter.
#ifndef GUARDED_H
#define GUARDED_H
guarded __FILE__ __LINE__ __INCLUDE_LEVEL__
#include "plain.h"
#endif // GUARDED_H
