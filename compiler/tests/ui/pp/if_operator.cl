// C99 6.10.1: operands on both sides.
#if 1 +
#endif
#if * 2
#endif
