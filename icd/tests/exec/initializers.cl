// Initializers with designators, elided braces and strings (C99 6.7.8). `zero` is 0, and not known to the compiler.

struct pair { int x, y; };
struct outer { struct pair s; int z; };
struct nested { int a; struct { int b[2]; int c; } d[2]; int e; };
struct anonymous { int a; struct { int x; int y; }; int b; };
struct named { char c[4]; int n; };

// A list replaces everything that was set before in its object (6.7.8p19, defect report 253).
// kernel: replaced
// global: 1
// arg: out int 20 => [0, 1, 0,  0, 2,  120, 0, 0, 0,  102, 0,  0, 1, 6,  1, 9, 8,  120, 0, 0]
// arg: value int = 0
constant struct outer table[2] = { [0].s.x = 5, [0].s = { .y = 1 }, 6, [1] = { { 1, 2 }, 3 }, [1].s.y = 9, 8 };
constant char letters[2][4] = { "abc", [0] = "x" };
kernel void replaced(global int *out, int zero) {
    struct outer t = { .s.x = 5 + zero, .s = { .y = 1 } };
    int a[2][2] = { [0][0] = 7 + zero, [0] = { [1] = 2 } };
    char s[2][4] = { "abc", [0] = "x" };
    struct { char x[6]; } l = { .x[2] = 'x', .x = { [0] = 'f' } };
    int n = 0;
    out[n++] = t.s.x;
    out[n++] = t.s.y;
    out[n++] = t.z;
    out[n++] = a[0][0];
    out[n++] = a[0][1];
    for (int i = 0; i < 4; i++)
        out[n++] = s[zero][i];
    out[n++] = l.x[0];
    out[n++] = l.x[zero + 2];
    for (int i = 0; i < 2; i++) {
        out[n++] = table[zero + i].s.x;
        out[n++] = table[zero + i].s.y;
        out[n++] = table[zero + i].z;
    }
    for (int i = 0; i < 3; i++)
        out[n++] = letters[zero][i];
}

// The list is for a part of an object that was set as a whole.
// kernel: replaced_parts
// global: 1
// arg: out int 9 => [7, 2, 0,  0, 2, 3,  1, 0, 3]
// arg: value int = 0
kernel void replaced_parts(global int *out, int zero) {
    struct pair s = { 7 + zero, 8 };
    struct outer t = { s, 3 };
    struct outer u = { .s = s, .s.y = 2 };
    struct { struct outer t; } v = { .t = t, .t.s = { .y = 2 } };
    struct { struct outer t[2]; } w = { .t = { [1] = t }, .t[1].s = { 1 } };
    int n = 0;
    out[n++] = u.s.x;
    out[n++] = u.s.y;
    out[n++] = u.z;
    out[n++] = v.t.s.x;
    out[n++] = v.t.s.y;
    out[n++] = v.t.z;
    out[n++] = w.t[1].s.x;
    out[n++] = w.t[1].s.y;
    out[n++] = w.t[1].z;
}

// After a designator, items without one initialize what follows it, from the innermost object on (6.7.8p17).
// kernel: continued
// global: 1
// arg: out int 32 => [9, 1, 2, 3, 0, 4, 5, 6,  0, 1, 2, 3,  4, 5,  3, 4, 5, 6,  1, 2, 3,  1, 4, 3,  1, 2, 0, 3,  5, 1, 2, 3]
// arg: value int = 0
kernel void continued(global int *out, int zero) {
    struct nested q = { .d[1].b[1] = 4 + zero, 5, 6, .a = 9, .d[0] = { .c = 3, .b = { 1, 2 } } };
    struct anonymous s = { .x = 1 + zero, 2, 3 };
    struct anonymous t = { .y = 4 + zero, 5 };
    struct anonymous u = { 1, 2, .a = 3 + zero, 4, 5, 6 };
    struct outer v = { .s = 1 + zero, 2, 3 };
    struct outer w = { .z = 3, .s = 1 + zero, 4 };
    struct { struct pair a[2]; } r = { .a[0 ... 1].x = 1 + zero, 3, .a[0].y = 2, .a[1].x = 0 };
    int m[2][2] = { [1][0] = 2 + zero, 3, [0][0] = 5, 1 };
    int n = 0;
    out[n++] = q.a;
    for (int i = 0; i < 2; i++) {
        out[n++] = q.d[zero + i].b[0];
        out[n++] = q.d[zero + i].b[1];
        out[n++] = q.d[zero + i].c;
    }
    out[n++] = q.e;
    out[n++] = s.a;
    out[n++] = s.x;
    out[n++] = s.y;
    out[n++] = s.b;
    out[n++] = t.y;
    out[n++] = t.b;
    out[n++] = u.a;
    out[n++] = u.x;
    out[n++] = u.y;
    out[n++] = u.b;
    out[n++] = v.s.x;
    out[n++] = v.s.y;
    out[n++] = v.z;
    out[n++] = w.s.x;
    out[n++] = w.s.y;
    out[n++] = w.z;
    out[n++] = r.a[zero].x;
    out[n++] = r.a[zero].y;
    out[n++] = r.a[zero + 1].x;
    out[n++] = r.a[zero + 1].y;
    for (int i = 0; i < 4; i++)
        out[n++] = m[zero + i / 2][i % 2];
}

// An item of a range of elements is evaluated once (GNU C).
// kernel: ranges
// global: 1
// arg: out int 11 => [1, 1, 1, 1,  4, 2, 3, 4, 2, 3,  3]
// arg: value int = 0
int count(int *calls) { return ++*calls; }
kernel void ranges(global int *out, int zero) {
    int calls = zero;
    int a[3] = { [0 ... 2] = count(&calls) };
    int n = 0;
    for (int i = 0; i < 3; i++)
        out[n++] = a[zero + i];
    out[n++] = calls;
    struct outer t[2] = { [0 ... 1] = { .s = { count(&calls) + 2, 2 }, count(&calls) } };
    for (int i = 0; i < 2; i++) {
        out[n++] = t[zero + i].s.x;
        out[n++] = t[zero + i].s.y;
        out[n++] = t[zero + i].z;
    }
    out[n++] = calls;
}

// A string initializes an array of characters also where the braces of the object around it are left out.
// kernel: strings
// global: 1
// arg: out int 12 => [32, 100, 97, 1, 7,  98, 0, 114, 100, 4, 103, 121]
// arg: value int = 0
constant struct named names[] = { "abcd", 1, { "x", 2 }, [3] = { .n = 7 } };
kernel void strings(global int *out, int zero) {
    struct { char s[4]; char t[2][3]; } c = { "ab", "xy", "pqr" };
    struct { struct { char s[3]; } i; int n; } d[] = { "ab", 3 + zero, "cd", 4 };
    struct { char x[6]; } l = { .x[2] = 'x', 'y', .x[0] = 'f', 'g' };
    int n = 0;
    out[n++] = sizeof names;
    out[n++] = names[zero].c[3];
    out[n++] = names[0].c[zero];
    out[n++] = names[0].n;
    out[n++] = names[zero + 3].n;
    out[n++] = c.s[zero + 1];
    out[n++] = c.s[zero + 2];
    out[n++] = c.t[1][zero + 2];
    out[n++] = d[1].i.s[zero + 1];
    out[n++] = d[1].n;
    out[n++] = l.x[zero + 1];
    out[n++] = l.x[zero + 3];
}

// An element of components that were selected from a vector is an element of that vector.
// kernel: elements
// global: 1
// arg: out int 10 => [10, 6, 77, 5, 9, 7, 8, 4, 3, 5]
// arg: inout int 4 = 0 => [0, 0, 0, 9]
// arg: value int = 0
kernel void elements(global int *out, global int4 *g, int zero) {
    int8 v = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    int n = 0;
    v.hi[zero] += 5;
    out[n++] = v.s4;
    out[n++] = v.odd[zero + 2];
    v.s3120[zero + 1] = 77;
    out[n++] = v.s1;
    v.hi.lo[zero + 1]--;
    out[n++] = v.s5;
    g->hi[zero + 1] = 9;
    out[n++] = g->wzyx[zero];
    out[n++] = v.hi[zero + 2]++;
    out[n++] = v.s6;
    int4 w = (int4)(1, 2, 3, 4);
    out[n++] = w.xyw[zero + 2];
    w.zw[zero] += 0;
    out[n++] = w.z;
    out[n++] = (w + 1).zw[zero + 1];
}
