#define zero 0
#define f(x) x
#if zero
#error
#elif !zero && defined zero && defined(f) && !defined(nothing)
a
#else
#error
#endif
#if 0
#if 1
#else
#elif garbage (
#endif
' unbalanced
#else
b
#endif
#if 1
c
#elif 1 / 0
#else
#error
#endif
#if -1 > 0u && 1 << 63 < 0 && (2 || 1 / 0) && ~0 == -1 && 10 % 4 == 2 && 'a' == 0x61 && 077 == 63 && 1 ? 2 : 0
d
#endif
#if f(1) == 1 && f == 0 && undefined == 0 && true && !false
e
#endif
#ifdef zero
#ifndef zero
#error
#else
g
#endif
#endif
#if 0x8000000000000000 > 0 && 18446744073709551615u == -1 && 5 / -2 == -2
h
#endif
f(
#if 1
i
#else
j
#endif
)
