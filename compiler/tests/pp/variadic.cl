#define all(...) [__VA_ARGS__] #__VA_ARGS__
#define rest(a, ...) a: __VA_ARGS__ #__VA_ARGS__
#define gnu(fmt, args...) p(fmt, ## args)
#define c99(fmt, ...) p(fmt, ## __VA_ARGS__)
#define bare(...) p(0, ## __VA_ARGS__)
#define mid(x, ...) x, ## __VA_ARGS__, x
#define m 1,2
all() all(a) all(a, b) all((a, b), c) all(m)
rest(a) rest(a,) rest(a, b) rest(a, b, c) rest(m, m)
gnu("x") gnu("x", y) gnu("x", m)
c99("x") c99("x", ) c99("x", y, z)
bare() bare(1)
mid(q) mid(q, r)
