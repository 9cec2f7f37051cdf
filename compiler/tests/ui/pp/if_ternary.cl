// C99 6.10.1: a conditional expression has its colon.
#if 1 ? 2
#endif
