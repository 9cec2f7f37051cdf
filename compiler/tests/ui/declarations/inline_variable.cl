// C99 6.7.4: inline is for functions.
inline constant int a = 1;
inline struct S { int a; };
