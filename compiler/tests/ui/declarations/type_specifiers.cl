signed float a(void);
unsigned signed int b(void);
long double c(void);
short float d(void);
_Complex float e(void);
typeof(int) f(void);
