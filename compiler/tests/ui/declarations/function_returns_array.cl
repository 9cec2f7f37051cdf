// C99 6.7.5.3: a function returns neither an array nor a function.
typedef int four[4];
four f(void);
