// C99 6.10.1: `defined` takes a name.
#if defined
#endif
#if defined(
#endif
#if defined(A
#endif
#if defined 3
#endif
