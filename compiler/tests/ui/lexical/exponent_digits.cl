// C99 6.4.4.2: an exponent has digits.
float f(void) { return 1e + 2.0e+f; }
