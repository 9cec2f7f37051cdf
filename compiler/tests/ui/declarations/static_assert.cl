// C11 static assertions.
_Static_assert(sizeof(int) == 4, "fine");
_Static_assert(sizeof(int) == 8, "int is small");
void f(int n) {
    _Static_assert(1, "fine");
    _Static_assert(n, "not constant");
}
