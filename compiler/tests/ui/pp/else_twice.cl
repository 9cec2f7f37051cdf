// C99 6.10.1: an #if has at most one #else.
#if 0
#else
#else
#endif
