// Variables of programs in global memory that demand larger alignments than any type has (CL 6.11.1).
// needs: __opencl_c_program_scope_global_variables
// options: -cl-std=CL3.0

#define ALIGNED(n) __attribute__((aligned(n)))
typedef struct ALIGNED(512) { int x; char c; } s512;
int odd[3] = {1, 2, 3};
int g512 ALIGNED(512) = 5;
char g1 = 1;
global uchar g1024[3] ALIGNED(1024);
constant char c1 = 1;
constant int c2048 ALIGNED(2048) = 7;
s512 structs[2] = {{1, 2}, {3, 4}};
struct { char first; s512 inner; } holder = {1, {2, 3}};
global void *global to = &g512;
global short zeros ALIGNED(4096);

// kernel: variables
// global: 8
// arg: in ulong 8 = [512, 1024, 2048, 512, 512, 512, 4096, 512]
// arg: out ulong 8 => 0
// arg: out int 8 => [5, 0, 7, 1, 4, 3, 0, 5]
kernel void variables(global const ulong *n, global ulong *out, global int *values) {
  static int s8192 ALIGNED(8192) = 1;
  int i = get_global_id(0);
  ulong all[] = {(ulong)&g512, (ulong)g1024, (ulong)&c2048, (ulong)structs, (ulong)(structs + 1), (ulong)&holder.inner,
                 (ulong)&zeros, (ulong)to};
  int contents[] = {g512, g1024[2], c2048, structs[i != 3].x, structs[1].c, holder.inner.c, zeros, *(global int *)to};
  out[i] = all[i] % n[i] + (ulong)&s8192 % 8192 + (odd[g1] != 2) + (s8192 != c1);
  values[i] = contents[i];
}
