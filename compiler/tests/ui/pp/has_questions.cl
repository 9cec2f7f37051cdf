// `__has_builtin` and its like can be asked for, so that the other side of `&&` need not be valid without them.
#if defined(__has_builtin) && __has_builtin(__builtin_nontemporal_load)
#error
#endif
#if !__has_attribute(packed) || !__has_attribute(__packed__) || !__has_attribute(const) || __has_attribute(foo)
#error
#endif
#if !__has_builtin(__builtin_expect) || __has_builtin(sin) || __has_feature(c_atomic) || __has_extension(blocks)
#error
#endif
#define ASK(x) __has_builtin(x)
#if ASK(__builtin_bswap16) || !ASK(__builtin_unreachable)
#error
#endif
constant int values[__has_builtin(__builtin_assume)] = {1};
#ifdef __has_include
#error
#endif
#if __has_builtin
#endif
#if __has_builtin(
#endif
#if __has_attribute(1)
#endif
#if __has_feature(a
#endif
#define __has_builtin(x) 1
#if !__has_builtin(any)
#error
#endif
#undef __has_attribute
#ifdef __has_attribute
#error
#endif
