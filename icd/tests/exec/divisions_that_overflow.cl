// The quotient of the smallest number and -1 does not fit, nor has a division by zero a value. Neither may stop the
// program (OpenCL C 6.3, a): a work-item that guards its division gets the right value, and one that does not gets some
// value. A driver that computes all lanes of a branch divides also for work-items that do not take it.

// kernel: guarded
// global: 64
// arg: in int 64 = i % 4 == 0 ? -2147483647 - 1 : rnd(i)
// arg: in int 64 = i % 8 == 0 ? -1 : i % 8 == 3 ? 0 : rnd(i + 64) % 9 + 20
// arg: out int 64 => a1[i] == 0 || a0[i] == -2147483647 - 1 && a1[i] == -1 ? 7 : a0[i] / a1[i]
// arg: out int 64 => a1[i] == 0 || a0[i] == -2147483647 - 1 && a1[i] == -1 ? 7 : a0[i] % a1[i]
kernel void guarded(global const int *a, global const int *b, global int *quotient, global int *rest) {
  int i = get_global_id(0);
  quotient[i] = rest[i] = 7;
  if (b[i] != 0 && !(a[i] == INT_MIN && b[i] == -1)) {
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
  }
}

// The divisor is a constant that only the driver knows.
// kernel: by_size
// global: 4
// local: 1
// arg: value int = 9
// arg: out int 4 => 7
// arg: out int 4 => 9
// arg: out long 4 => 7
kernel void by_size(int n, global int *quotient, global int *rest, global long *longs) {
  int i = get_global_id(0), size = (int)get_local_size(0) - 2;
  quotient[i] = size == -1 ? 7 : INT_MIN / size;
  rest[i] = size == -1 ? n : INT_MIN % size;
  longs[i] = size == -1 ? 7 : LONG_MIN / (long)size;
}

// Neither value is stated, but both operations end.
// kernel: constants
// global: 4
// arg: out int 4 => 1
kernel void constants(global int *out) {
  int i = get_global_id(0);
  int2 a = (int2)(INT_MIN, 5), b = (int2)(-1, 0);
  int2 q = a / b, r = a % b;
  int zero = INT_MIN / -1 + 5 / 0 + INT_MIN % -1 + 5 % 0;
  out[i] = (q.x == q.x + 1) + (q.y & r.x & r.y & zero & 0) + 1;
}
