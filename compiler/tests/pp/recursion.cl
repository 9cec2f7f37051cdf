#define self self + other
#define ping pong ping
#define pong ping pong
#define twice(x) x x
#define apply(m, ...) m(__VA_ARGS__)
#define name_of(x) x
#define nest(x) name_of(inner)(x)
#define inner(x) name_of(x)
#define flip() flop
#define flop() flip
self
ping
pong
twice(twice(self))
apply(twice, twice)(3)
nest(1)
flip()()()()
twice (
  a b
)
name_of
name_of(twice)(5)
name_of(name_of)(name_of)(6)
