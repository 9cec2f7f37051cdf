// C99 6.7.8: only objects are initialized.
typedef int t = 3;
