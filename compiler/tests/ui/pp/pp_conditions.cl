#if
#endif
#if 1 +
#endif
#if (1
#endif
#if 1 / 0
#endif
#if 0 && 1 / 0
#endif
#if 1.5
#endif
#if "s"
#endif
#if 1 2
#endif
#if FOO(1)
#endif
#if defined
#endif
#if defined(X
#endif
#if 08
#endif
#if 1 ? 2
#endif
#if 99999999999999999999
#endif
#if 1
#ifdef X
#endif extra
