// C99 6.10.3: a macro is redefined only alike.
#define A 1
#define A 1
#define A  1
#define A 2
#define B(x) x
#define B(y) y
