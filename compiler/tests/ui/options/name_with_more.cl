// options: -DDEVICE_A,_256_BITS_ -D B-C=4 -DE
// A name is followed by something else than white space: other implementations take it for the start of the value.
#define TEXT_OF(x) #x
#define TEXT(...) TEXT_OF((__VA_ARGS__))
constant char a[] = TEXT(DEVICE_A), b[] = TEXT(B);
_Static_assert(sizeof(a) == sizeof("(,_256_BITS_ 1)") && sizeof(b) == sizeof("(-C 4)"), "values");
kernel void k(global int *p) { p[0] = E; }
