// C99 6.7: a name is one kind of thing.
typedef int a;
int b(void);
constant int a = 1;
struct b *c(void);
constant int b = 1;
