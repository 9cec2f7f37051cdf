#include "pp_include_loop.cl"
