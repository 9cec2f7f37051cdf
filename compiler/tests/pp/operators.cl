#define cat(a, b) a##b
#define xcat(a, b) cat(a, b)
#define str(x) #x
#define xstr(x) str(x)
#define hash # ## #
#define both(a) #a a##_t a
#define three(a, b, c) a##b##c
#define one two
#define arrow(a) a -## >b
cat(one, two) xcat(one, two) cat(, x) cat(x, ) [cat(,)]
cat(1, .5e) cat(+, =) cat(<, <=) cat(<<, =) cat(L, "wide")
str(  spaced    out  ) str("quo\"ted" '\n') str(@ \ `) xstr(one) str(one)
str() str(a
b) str(a /* comment */ b)
hash
both(one)
three(1, 2, 3) three(, 2, 3) three(1, , 3) three(1, 2, ) three(, , ) |
xstr(cat(on, e)) xstr(hash)
arrow(p)
str(\) str(a\"b") str(@ \ `)
str(a 'b "c" d
)
