// C99 6.7: a scope has one definition of a name.
constant int a = 1;
constant int a = 2;
constant float a = 3;
