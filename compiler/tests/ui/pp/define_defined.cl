// C99 6.10.8: `defined` is no macro name.
#define defined 1
#undef defined
