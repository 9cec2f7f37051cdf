// Work-groups: local memory through pointers of all kinds, barriers in uniform control flow, asynchronous copies (CL 6.12.8, 6.12.10).
#define PUT(x) out[n_++] = (ulong)(x)

// kernel: reduction
// global: 8
// local: 8
// arg: out ulong 24 => [0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 7, 6, 5, 4, 3, 2, 1, 0, 0x12, 0xf, 0xc, 9, 6, 3, 8, 0xd]
// arg: in int 64 = i
kernel void reduction(global ulong *out, global int *in) {
  int n_ = 0;
  local int s[8]; int l = get_local_id(0); s[l] = in[l]*3; barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 4; k; k >>= 1) { if (l<k) s[l] += s[l+k]; barrier(CLK_LOCAL_MEM_FENCE); } out[l] = s[0]+l;
  local int*p = &s[7-l]; barrier(CLK_LOCAL_MEM_FENCE); *p = l; barrier(CLK_LOCAL_MEM_FENCE); out[8+l] = s[l];
  int v = 0; for (int i = 0; i<3; i++) { if (in[1]==1) { barrier(CLK_LOCAL_MEM_FENCE); v += s[(l+i)&7]; } }
  out[16+l] = v;
}

// Pointers to local memory in local memory.
// kernel: local_pointers
// global: 8
// local: 8
// arg: out ulong 32 => [0xa, 0, 0x1e, 0x14, 0x32, 0x28, 0x46, 0x3c, 0x14, 0x1f, 0x16, 0x21, 0x18, 0x23, 0x1a, 0x25, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 0x14, 1, 1, 1, 1, 1, 1, 1, 1]
// arg: in int 64 = i
kernel void local_pointers(global ulong *out, global int *in) {
  int n_ = 0;
  int l = get_local_id(0); local int*pp[2]; local int a[4], b[4]; pp[0] = a; pp[1] = b;
  if (l<8)pp[l&1][l>>1] = l*10; barrier(CLK_LOCAL_MEM_FENCE); out[l] = pp[(l+1)&1][l>>1]; struct{ local int*p;
  int n; } s = {pp[l&1]+1, l} ; out[8+l] = s.p[0]+s.n; ulong ad = (ulong)(a+1); out[16+l] = *(local int*)ad;
  out[24+l] = (local int*)ad-a;
}

// kernel: copies
// global: 8
// local: 8
// arg: out ulong 44 => [0xf, 0xe, 0xd, 0xc, 0xb, 0xa, 9, 8, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0, 3, 6, 9, 0xc, 0xf, 0x12, 0x15, 0, 3, 6, 9, 0xc, 0xf, 0x12, 0x15, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0xcdcdcdcdcdcdcdcd, 0, 0, 0, 0]
// arg: in int 64 = i
kernel void copies(global ulong *out, global int *in) {
  int n_ = 0;
  local int s[16]; int l = get_local_id(0); event_t e = async_work_group_copy(s, in, 16, 0);
  wait_group_events(1, &e); out[l] = s[15-l]; event_t ev[2]; local int4 v4[2];
  ev[0] = async_work_group_copy(v4, (global int4*)in+1, 2, 0);
  ev[1] = async_work_group_strided_copy(s, in, 8, 3, 0); wait_group_events(2, ev);
  out[8+l] = ((local int*)v4)[l]; out[16+l] = s[l]; prefetch(in, 16);
  e = async_work_group_copy((global int*)(out+40), s, 8, (event_t)0); wait_group_events(1, &e);
  barrier(CLK_GLOBAL_MEM_FENCE); out[24+l] = ((global int*)(out+40))[l]; barrier(CLK_GLOBAL_MEM_FENCE);
  if (l<4)out[40+l] = 0;
}
