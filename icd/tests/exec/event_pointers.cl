// Pointers to events: variables, parameters and members of structures that point to events in private memory (OpenCL C 1.2, 6.9.r).
#define PUT(x) out[n_++] = (ulong)(x)

void wait_for(event_t *e, int n) { wait_group_events(n, e); }
void start(event_t *e, local int *to, global const int *from, size_t n) { *e = async_work_group_copy(to, from, n, *e); }
struct waiting { event_t *events; int count; };
void wait_all(struct waiting *w) { wait_group_events(w->count, w->events); }
void wait_array(event_t e[2]) { wait_group_events(2, e); }

// kernel: parameters
// global: 8
// local: 8
// arg: out ulong 24 => [0x7, 0x6, 0x5, 0x4, 0x3, 0x2, 0x1, 0x0, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17]
// arg: in int 64 = i
kernel void parameters(global ulong *out, global const int *in) {
  local int a[8], b[8], c[8]; int l = get_local_id(0);
  event_t e = 0; start(&e, a, in, 8); wait_for(&e, 1); out[l] = a[7 - l];
  event_t two[2] = {0, 0}; event_t *p = two;
  start(p, b, in + 8, 8); p++; *p = 0; start(p, c, in + 16, 8);
  wait_array(two); out[8 + l] = b[l]; out[16 + l] = c[l];
}

// kernel: members
// global: 8
// local: 8
// arg: out ulong 8 => [0x0, 0x3, 0x6, 0x9, 0xc, 0xf, 0x12, 0x15]
// arg: in int 64 = i
kernel void members(global ulong *out, global const int *in) {
  local int a[8]; int l = get_local_id(0);
  event_t e[2]; event_t *chosen = in[1] == 1 ? &e[1] : &e[0];
  e[0] = e[1] = 0;
  *chosen = async_work_group_strided_copy(a, in, 8, 3, 0);
  struct waiting w = {chosen, 1}; wait_all(&w); out[l] = a[l];
}
