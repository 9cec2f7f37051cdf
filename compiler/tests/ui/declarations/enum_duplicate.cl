// C99 6.7.2.2: names of enumerators differ.
enum E { A, B, A };
constant int B = 1;
