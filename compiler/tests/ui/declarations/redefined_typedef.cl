// C99 6.7: a typedef is not defined differently.
typedef int a;
typedef int a;
typedef float a;
