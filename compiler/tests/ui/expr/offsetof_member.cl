#define offsetof(t, m) __builtin_offsetof(t, m)
struct S { int a; struct { float b[4]; } in; };
kernel void k(__global ulong *out) {
    out[0] = offsetof(struct S, in.b[2]);
    out[1] = offsetof(struct S, c);
    out[2] = offsetof(int, a);
}
