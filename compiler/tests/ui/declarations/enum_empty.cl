// C99 6.7.2.2: an enum has enumerators.
enum E { };
