#define N 1
#pragma push_macro("N")
#undef N
#define N(x) two x
N(2)
#pragma push_macro("N")
#undef N
#pragma push_macro("N")
#define N 3
N
#pragma pop_macro("N")
N
#pragma pop_macro("N")
N(2)
#pragma pop_macro("N")
N
// The operator is the same pragma, and a predefined macro is kept, too.
#pragma push_macro("__OPENCL_VERSION__")
#undef __OPENCL_VERSION__
_Pragma("push_macro(\"N\")") __OPENCL_VERSION__
#pragma pop_macro("__OPENCL_VERSION__")
__OPENCL_VERSION__
#undef N
_Pragma("pop_macro(\"N\")") N
