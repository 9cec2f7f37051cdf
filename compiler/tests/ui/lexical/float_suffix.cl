// C99 6.4.4.2: which suffixes a floating constant takes.
float f(void) { return 1.0q; }
