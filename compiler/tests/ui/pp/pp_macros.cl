#define ONE(x) x
#define TWO(x, y) x y
#define VAR(x, ...) x
#define PASTE(a, b) a##b
int a = TWO(1);
int b = ONE(1, 2);
int c = VAR();
int d = PASTE(+, -) 1;
int e = ONE(1;
