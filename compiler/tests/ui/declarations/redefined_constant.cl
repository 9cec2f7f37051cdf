// C99 6.7: one definition in a scope.
constant int a = 1;
constant int a = 2;
constant float a = 3;
