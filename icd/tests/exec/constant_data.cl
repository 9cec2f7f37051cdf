// `__constant` data of the program whose initialisers hold addresses, and everything else that an initialiser may hold
// (CL 6.5.3, 6.8; C99 6.7.8). A check that fails leaves its bit cleared.

typedef struct node { int value; constant struct node *next; } node;
typedef struct { char tag; constant char *name; constant int *data; ulong count; } entry;
typedef union { uint word; uchar bytes[4]; } word;
enum { RED = 3, GREEN, BLUE = RED * 4 };

constant int primes[] = {2, 3, 5, 7, 11};
constant int *constant middle = &primes[2];
constant int *constant ends[2] = {primes, primes + 4};
constant int *constant *constant deep = ends + 1;
extern constant node last;
constant node first = {1, &last};
constant node last = {2, &(constant node){.value = 3}};
extern constant node ring_b;
constant node ring_a = {10, &ring_b};
constant node ring_b = {20, &ring_a};
constant char hello[] = "hello", wide[8] = "ab", raw[3] = {'x', 'y', 'z'};
constant char *constant names[] = {"zero", "one", hello + 1, 0};
constant entry entries[] = {{'a', "alpha", primes, 5}, {.count = 1, .data = &primes[3], .name = "b", .tag = 'b'}};
constant word words[2] = {{0x01020304}, {.bytes = {9, 8, 7, 6}}};
constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(0.5f)};
constant float3 threes[2] = {(float3)(1, 2, 3), (float3)(4, 5, 6)};
constant int sparse[6] = {[4] = 44, [1] = 11, 12};
constant int grid[2][3] = {{1, 2}, {4, 5, 6}};
constant struct { short s; struct { char c; long l; } in[2]; } nested = {7, {{1, 2}, {3, -4}}};
constant long numbers[] = {sizeof(entry), GREEN, BLUE, -1 >> 1, 1 ? 5 : 6, 'a' + 1, (char)300, 7 / 2 * 2, ~0u};
constant float floats[] = {1 / 4.0f, 0x1p-3f, -0.0f, 1e10f, INFINITY, M_PI_F};
constant ulong distance = sizeof(primes) / sizeof(primes[0]);
constant uchar empty[3] = {};
constant bool truth = 7 > 3;
constant struct __attribute__((packed)) { char a; int b; constant int *p; } tight = {1, 0x01020304, primes + 1};
constant size_t last_size = sizeof("four");

int length(constant char *s) { int n = 0; while (s[n]) n++; return n; }

#define CHECK(k, x) if (x) bits |= 1UL << k

// kernel: addresses
// global: 3
// arg: in int 5 = 0
// arg: out ulong 3 => (1 << 40) - 1
kernel void addresses(global const int *zero, global ulong *out) {
  int z = zero[0];
  ulong bits = 0;
  CHECK(0, *middle == 5 && middle[z + 1] == 7);
  CHECK(1, ends[z + 1] == &primes[4] && *ends[0] == 2 && **deep == 11);
  CHECK(2, first.next == &last && first.next->next->value == 3);
  CHECK(3, first.next->next->next == 0);
  CHECK(4, ring_a.next->next == &ring_a && ring_b.next->value == 10);
  CHECK(5, length(hello) == 5 && sizeof(hello) == 6 && wide[2] == 0 && wide[7] == 0 && wide[1] == 'b');
  CHECK(6, raw[z] == 'x' && raw[2] == 'z' && sizeof(raw) == 3);
  CHECK(7, length(names[z]) == 4 && names[1][2] == 'e' && names[2] == hello + 1 && !names[3]);
  CHECK(8, entries[z].name[4] == 'a' && entries[z].data[4] == 11 && entries[z].count == 5);
  CHECK(9, entries[1].tag == 'b' && *entries[z + 1].data == 7 && entries[1].name[0] == 'b');
  CHECK(10, words[0].bytes[z] == 4 && words[1].word == 0x06070809);
  CHECK(11, vectors[z].w == 4 && vectors[1].z == 0.5f);
  CHECK(12, threes[z + 1].x == 4 && threes[0].z == 3 && sizeof(threes) == 32);
  CHECK(13, sparse[z] == 0 && sparse[1] == 11 && sparse[2] == 12 && sparse[4] == 44 && sparse[5] == 0);
  CHECK(14, grid[z][2] == 0 && grid[1][z] == 4 && (&grid[0][0])[5] == 6);
  CHECK(15, nested.in[z + 1].l == -4 && nested.in[0].c == 1 && nested.s == 7);
  CHECK(16, numbers[z] == 32 && numbers[1] == 4 && numbers[2] == 12 && numbers[3] == -1 && numbers[4] == 5);
  CHECK(17, numbers[5] == 'b' && numbers[6] == 44 && numbers[7] == 6 && numbers[8] == 0xffffffffL);
  CHECK(18, floats[z] == 0.25f && floats[1] == 0.125f && as_uint(floats[2]) == 0x80000000u);
  CHECK(19, floats[3] == 1e10f && isinf(floats[4]) && floats[5] > 3.14159f);
  CHECK(20, distance == 5 && truth && last_size == 5);
  CHECK(21, !empty[z] && !empty[1] && !empty[2]);
  CHECK(22, tight.b == 0x01020304 && *tight.p == 3 && sizeof(tight) == 13);
  constant int *p = zero[1] ? middle : ends[z];
  CHECK(23, p == primes && p < middle && middle - p == 2);
  constant int *all[3] = {p, middle, ends[1]};
  CHECK(24, *all[z] == 2 && *all[z + 1] == 5 && all[2][-1] == 7);
  CHECK(25, (ulong)middle - (ulong)primes == 8 && (constant int *)((ulong)primes + 4) == primes + 1);
  CHECK(26, ((constant uchar *)primes)[4 + z] == 3 && ((constant ulong *)&vectors[0])[0] != 0);
  constant node *at = &first;
  int sum = 0, steps = 0;
  for (; at; at = at->next, steps++) sum += at->value;
  CHECK(27, sum == 6 && steps == 3);
  at = &ring_a;
  for (int k = 0; k < 5; k++) at = at->next;
  CHECK(28, at == &ring_b);
  node copy = first;
  CHECK(29, copy.next->value == 2 && copy.value == 1);
  entry mine = entries[z + 1];
  CHECK(30, mine.data - primes == 3 && mine.tag == 'b');
  constant char *s = z ? "yes" : "no";
  CHECK(31, s[0] == 'n' && s[1] == 'o' && s[2] == 0);
  CHECK(32, "literal"[z + 2] == 't' && sizeof("literal") == 8);
  const char text[] = "own";
  CHECK(33, text[z + 1] == 'w' && sizeof(text) == 4);
  int own[] = {[2] = 5, 6, [0] = 1};
  CHECK(34, sizeof(own) == 16 && own[z] == 1 && own[z + 1] == 0 && own[3] == 6);
  struct { int a; int2 b; char c[4]; } t = {.b = (int2)(1, 2), .c = "hi"};
  CHECK(35, t.a == z && t.b.y == 2 && t.c[1] == 'i' && t.c[3] == 0);
  int *q = (int[]){4, 5, 6};
  CHECK(36, q[z + 1] == 5);
  node *made = &(node){8, &last};
  made->value++;
  CHECK(37, made->value == 9 && made->next == &last);
  CHECK(38, ((entry){'q', "w", 0, 3}).count == 3);
  constant void *any = &last;
  CHECK(39, ((constant node *)any)->value == 2);
  out[get_global_id(0)] = bits;
}
// kernel: declared_in_functions
// global: 1
// arg: out int 4 => [5, 7, 5, 12]
constant int early = 5;
int reads_late(void) { extern constant int late; return late; }
kernel void declared_in_functions(global int *out) {
  int early = 3;
  {
    extern constant int early;
    extern constant int late;
    out[0] = early;
    out[1] = late;
  }
  { extern constant int early; constant int *p = &early; out[2] = *p; }
  out[3] = reads_late() + early + 2;
}
constant int late = 7;
