// Null pointers as arguments (CL 5.7.2).
// only physical: a kernel cannot see whether a descriptor stands for NULL
// kernel: null_pointer
// global: 1
// arg: null
// arg: out int 1 => 1
kernel void null_pointer(global int *p, global int *out) {
  out[0] = p == 0;
}
