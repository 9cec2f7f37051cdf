// C99 6.7.8: only objects are initialized.
int f(void) = 0;
