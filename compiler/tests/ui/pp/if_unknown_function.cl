// C99 6.10.1: no function calls in #if.
#if missing(3)
#endif
