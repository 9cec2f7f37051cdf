// C99 6.10.8: predefined macros are not redefined.
#define __LINE__ 3
#undef __FILE__
