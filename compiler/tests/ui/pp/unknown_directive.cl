// C99 6.10: directives.
#import "x"
#foo
