// C99 6.10.1: #ifdef takes a name.
#ifdef
#endif
#ifndef 3
#endif
#ifdef A B
#endif
