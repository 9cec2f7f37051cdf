// C99 6.10.1: one expression.
#if 1 2
#endif
