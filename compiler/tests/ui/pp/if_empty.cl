// C99 6.10.1: #if takes an expression.
#if
#endif
