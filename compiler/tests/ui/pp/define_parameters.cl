// C99 6.10.3: the form of a macro's parameter list is checked.
#define A(x
#define B(x, x) x
#define C(x y) x
#define D(3) x
#define E(x,) x
#define F(..., x) x
