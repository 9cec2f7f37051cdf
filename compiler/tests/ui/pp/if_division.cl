// C99 6.10.1: division by zero.
#if 1 / 0
#endif
#if 0 && 1 / 0
#endif
