// C99 6.10.1: #if allows no strings.
#if "a" == "a"
#endif
