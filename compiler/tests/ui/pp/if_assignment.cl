// C99 6.10.1: no assignment in #if.
#if A = 1
#endif
