// C99 6.4.4.4: a character constant has a character.
int f(void) { return ''; }
