// C99 6.7.5.3: what a function returns.
typedef int four[4];
four f(void);
