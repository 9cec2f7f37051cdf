struct S { int a; };
struct S { int b; };
enum E { A, B };
enum E { C };
enum F { A };
typedef int T;
typedef float T;
void f(int a, int a) { int b; float b; }
void f(int a) {}
int g(int);
float g(int);
void h(void) {}
void h(void) {}
__constant int x = 1;
__constant int x = 2;
