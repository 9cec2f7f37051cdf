// Parameters of a definition may have no name, as in Clang (an extension of C99, 6.9.1). Their arguments are set and passed, and nothing reads them.
int third(int, float4, int n) { return n * 2; }
void nothing(global int *, int) {}

// kernel: unnamed
// global: 16
// local: 4
// arg: value int = 5
// arg: local 64
// arg: in int 16 = i * i
// arg: value float = 1.5
// arg: out int 16 => i * i * 2 + 5
kernel void unnamed(int v, local int *, global const int *a, float, global int *out) {
  int i = get_global_id(0);
  nothing(out, v);
  out[i] = third(i, (float4)(1), a[i]) + v;
}
