// C99 6.8.5: the condition is in parentheses.
void f(int a) { while a < 2 { a++; } }
