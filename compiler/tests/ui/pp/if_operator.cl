// C99 6.10.1: a binary operator in #if has operands on both sides.
#if 1 +
#endif
#if * 2
#endif
