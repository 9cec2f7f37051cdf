// C99 6.10.1 and 6.6, 3: a constant expression contains no comma, except in parts that are not evaluated. As in clang, one in
// parentheses is accepted.
#if 1, 0
#endif
#if 1 ? 2 : 3, 0
#endif
#if (1 ? 2 : 3, 0) || (0 ? 1, 2 : 0)
#error "the value is that of the right operand"
#endif
