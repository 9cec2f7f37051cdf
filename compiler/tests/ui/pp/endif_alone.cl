// C99 6.10.1: #endif belongs to an #if.
#endif
#else
#elif 1
