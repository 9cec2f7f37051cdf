// C99 6.10.1: #if allows no function calls.
#if missing(3)
#endif
