#include "included.h"
#include "included.h"
#include <included.h>
#define NAME "included.h"
#include NAME
#include "included.h" extra
int x = FROM_HEADER;
#include
#include foo
#include ""
#include "missing.h"
int never_read = ;
