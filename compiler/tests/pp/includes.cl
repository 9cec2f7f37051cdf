#include "guarded.h"
#include "guarded.h"
#include "once.h"
#include "once.h"
#include <plain.h>
#define header "plain.h"
#include header
#define angled <plain.h>
#include angled
__FILE__ __LINE__ __INCLUDE_LEVEL__
#line 40 "renamed.cl"
__FILE__ __LINE__
