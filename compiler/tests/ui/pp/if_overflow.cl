// C99 6.10.1: constants fit intmax_t.
#if 99999999999999999999
#endif
