// C99 6.7.8: objects of static duration have constant initializers.
void f(int n) { static constant int a = n; constant int b = n + 1; }
