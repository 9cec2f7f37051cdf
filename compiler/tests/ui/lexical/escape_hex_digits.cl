// C99 6.4.4.4: a hexadecimal escape has digits.
__constant char text[] = "\xg";
