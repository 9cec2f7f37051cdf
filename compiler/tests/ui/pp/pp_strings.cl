__constant char a[] = "unterminated;
__constant char b = 'x;
int c = @;
int d = 1 ` 2;
