// C99 6.10.3.2: # stands before a parameter.
#define A(x) #y
