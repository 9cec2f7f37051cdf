// C99 5.1.1.2: trigraphs are replaced before lines are joined, and lines are joined before comments are recognized.
/\
* a comment *\
/ after /\
/ another ??/
still the other
??=define bar ??!
??( bar ??) ??< ??> ??' ??- ???= ??? ?? "what??!" "????=" '??/n' "a??/
b"
#if 0
/\
* #else */
??=else
#endif
// C99 6.10.3.5, example 4, and other backslashes that are in no literal.
#define str(s) # s
str(: @\n) str(\\) str(\\n) str(\) str(\"a") str(\ "a") str(a\ b) str("\\" '\'')
/* a comment *\
/ end
