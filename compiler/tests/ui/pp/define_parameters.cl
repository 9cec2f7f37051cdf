// C99 6.10.3: parameter lists.
#define A(x
#define B(x, x) x
#define C(x y) x
#define D(3) x
#define E(x,) x
#define F(..., x) x
