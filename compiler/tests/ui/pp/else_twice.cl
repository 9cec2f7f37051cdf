// C99 6.10.1: one #else.
#if 0
#else
#else
#endif
