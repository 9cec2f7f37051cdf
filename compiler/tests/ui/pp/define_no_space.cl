// C99 6.10.3: white space between a macro's name and its body.
#define A"x"
#define B+1
