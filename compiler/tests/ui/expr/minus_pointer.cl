// C99 6.5.3.3: - takes a number.
void f(global int *p) { -p; +p; ~p; }
