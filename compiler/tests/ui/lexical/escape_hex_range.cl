// C99 6.4.4.4: the value of a hexadecimal escape fits.
__constant char text[] = "\x1ff";
