a
#define b \
  c
b
// comment
d /* 
 */ e
#if 1
f
#endif
"x\
y"