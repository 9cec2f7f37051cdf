// C99 6.10: an unknown directive is an error.
#import "x"
#foo
