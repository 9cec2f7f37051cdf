// C99 6.10.1: #if takes one expression.
#if 1 2
#endif
