int a = ;
#line 100 "generated.y"
int b = ;
# 7 "other.c" 2
int c = __LINE__ + ;
__constant char d[] = __FILE__ 3;
