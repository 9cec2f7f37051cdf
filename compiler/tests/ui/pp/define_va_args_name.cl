// C99 6.10.3: __VA_ARGS__ belongs to variadic macros.
#define A(__VA_ARGS__) 1
#define B __VA_ARGS__
#define C(x) __VA_ARGS__
