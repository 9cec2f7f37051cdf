// C99 6.10.1: #elif comes before #else.
#if 0
#else
#elif 1
#endif
