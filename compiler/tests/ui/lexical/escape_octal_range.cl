// C99 6.4.4.4: the value of an octal escape fits.
__constant char text[] = "\777";
