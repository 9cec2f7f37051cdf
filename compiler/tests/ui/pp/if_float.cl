// C99 6.10.1: the operand of #if is an integer constant expression.
#if 1.5 > 1
#endif
