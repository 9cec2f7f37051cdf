// C99 6.10: an #if has its #endif.
#if 1
int x(void);
