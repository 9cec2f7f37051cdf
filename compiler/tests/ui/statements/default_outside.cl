// C99 6.8.1: a default label must be in a switch statement.
void f(int a) { default: a = 2; }
