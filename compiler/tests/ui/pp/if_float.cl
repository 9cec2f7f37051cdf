// C99 6.10.1: an integer constant expression.
#if 1.5 > 1
#endif
