// C99 6.6: constants are in range.
constant int a = 1 / 0;
constant int b[1 % 0 + 2] = {1};
