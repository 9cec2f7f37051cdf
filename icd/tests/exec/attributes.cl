// Attributes (CL 6.7.2, 6.11) leave results alone; those of layout and size do what they say.
// kernel: everything
// global: 8
// local: 8
// arg: inout int 8 = i * 2 => i * 2 * 3 + 1
// arg: out ulong 8 => [16, 32, 0, 64, 5, 6, 8, 1]
typedef struct __attribute__((packed, aligned(4))) { char a; int b; char c __attribute__((aligned(2))); } record;
typedef int aligned_int __attribute__((aligned(32)));
struct spread { char first; int second __attribute__((aligned(16))); } __attribute__((aligned(64)));
typedef unsigned int word __attribute__((endian(host)));
__attribute__((always_inline)) int thrice(int x) { return 3 * x; }
__attribute__((noinline, pure)) static int next(int x) { return x + 1; }
int unused(int x __attribute__((unused))) __attribute__((const));
__attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((vec_type_hint(float4)))
__attribute__((work_group_size_hint(8, 1, 1))) kernel void
everything(global int *p __attribute__((endian(device))), global ulong *out) {
  aligned_int wide = p[0];
  local int shared[8] __attribute__((aligned(128)));
  record r = {1, 5, 6};
  struct spread s = {1, 2};
  word w = p[0];
  int i = get_local_id(0);
  shared[i] = next(thrice(p[i]));
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  __attribute__((opencl_unroll_hint(4))) for (int k = 0; k < 8; k++) p[i] = k == i ? shared[k] : p[i];
  if (i) return;
  out[0] = (ulong)&s.second - (ulong)&s;
  out[1] = __alignof__(aligned_int);
  out[2] = ((ulong)&wide & 31) + ((ulong)shared & 127) + w;
  out[3] = sizeof(struct spread);
  out[4] = r.b;
  out[5] = r.c;
  out[6] = sizeof(record) + ((ulong)&((record *)0)->c & 1) * 100;
  out[7] = sizeof(record) % 4 == 0 && ((ulong)&r & 3) == 0;
}
