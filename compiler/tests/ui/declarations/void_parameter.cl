// C99 6.7.5.3: void alone stands for no parameters.
void f(int a, void);
void g(void a);
void h(void, int b);
