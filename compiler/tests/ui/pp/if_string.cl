// C99 6.10.1: no strings in #if.
#if "a" == "a"
#endif
