// C99 6.10.1: a division by zero in #if is an error.
#if 1 / 0
#endif
#if 0 && 1 / 0
#endif
