// C99 6.10.3.5: #undef takes a name.
#undef
#undef 3
#undef A B
