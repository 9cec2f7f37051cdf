struct S { int a; };
kernel void k(__global struct S *p, struct S s, int i) {
    s.b = 1;
    p.a = 1;
    s->a = 1;
    i.a = 1;
    p->missing = 1;
}
