// C99 6.10.1: #elif takes an expression.
#if 0
#elif
#endif
