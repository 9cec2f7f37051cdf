// Clang's layouts: nothing is reported.
#define SAME(type, size, align) _Static_assert(sizeof(type) == size && __alignof__(type) == align, #type)
#define AT(type, member, offset) _Static_assert(__builtin_offsetof(type, member) == offset, #type "." #member)
#define pack(a, b) a
#define push once
#define TWO 2
struct usual { char c; int i; };
#pragma pack(TWO)
struct two { char c; int i; long l __attribute__((aligned(16))); char2 v; };
struct packed_in_two { char c; int i; } __attribute__((packed));
struct packed_member { char c; int i __attribute__((packed)); int k; };
struct aligned_in_two { char c; int i; } __attribute__((aligned(16)));
struct with_aligned { char c; struct aligned_in_two a; };
union u { char c[5]; long l; };
struct outer {
  char c;
#pragma pack(1)
  struct inner { char c; int i; } in;
  int i;
};
typedef int wide __attribute__((aligned(32)));
struct of_wide { char c; wide w; };
#pragma pack()
#undef push
_Pragma("pack(push, first, 1)") struct p1 { char c; long l; };
#pragma pack(push, 4)
struct p4 { char c; struct usual u; long l; };
#pragma pack(push, 8)
#pragma pack(pop, first)
struct after { char c; struct p1 p; double4 d; };
#pragma pack(8)
struct vectors { char c; float4 f; long16 l; };
#pragma pack(0)
kernel void k(global struct two *p) {
#pragma pack(push, 1)
  struct in_function { char c; int i; };
#pragma pack(pop)
  struct behind { char c; int i; };
  SAME(struct in_function, 5, 1);
  SAME(struct behind, 8, 4);
  p->l = 1;
}
void check(void) {
  SAME(struct usual, 8, 4);
  SAME(struct two, 16, 2);
  AT(struct two, i, 2);
  AT(struct two, l, 6);
  AT(struct two, v, 14);
  SAME(struct packed_in_two, 5, 1);
  AT(struct packed_member, i, 1);
  AT(struct packed_member, k, 6);
  SAME(struct aligned_in_two, 16, 16);
  AT(struct aligned_in_two, i, 2);
  AT(struct with_aligned, a, 2);
  SAME(struct with_aligned, 18, 2);
  SAME(union u, 8, 2);
  SAME(struct inner, 5, 1);
  SAME(struct outer, 10, 2);
  AT(struct outer, in, 1);
  AT(struct outer, i, 6);
  SAME(struct of_wide, 5, 1);
  SAME(struct p1, 9, 1);
  SAME(struct p4, 20, 4);
  AT(struct after, p, 1);
  AT(struct after, d, 32);
  SAME(struct vectors, 152, 8);
  AT(struct vectors, l, 24);
  SAME(struct { char c; long l; }, 16, 8);
}
