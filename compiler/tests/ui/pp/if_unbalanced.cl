// C99 6.10.1: parentheses in #if match.
#if (1 + 2
#endif
