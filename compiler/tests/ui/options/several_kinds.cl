// Errors of syntax do not hide those of meaning, and nothing is reported that only follows from them.
typedef struct { int a b; } pair;
struct lost { int a; int b c; };
enum { one = 1; two };
constant int table[2] = {1, 2 3};
int broken(int x) { return x + ; }
int fine(int x) { return x + nope; }
void user(pair p, struct lost l, int x) {
    struct lost m;
    m.a = l.a + table[0] + one + two;
    x = broken(1) + fine(2, 3);
    return 1;
}
int before(int x) {
    x = undeclared;
    for (int i = 0 i < 3; i++) { x += i; if (x) break; }
    x = missing + other;
    return x;
}
kernel void k(global int *p) {
    *p = before(1) + helper(2);
    goto end;
    p[1] = 2 +;
end:
    return;
}
int helper2(flot4 v) { return v.x; }
kernel int wrong(global int *p) { return p; }
