// Comparisons of an int that was widened to long with a value that only the driver finds to be constant. Mesa 22.3 compiles them wrongly.
// kernel: size
// global: 16
// local: 8
// arg: in int 16 = [0, 5, 7, 8, -3, 100, -2147483648, 2147483647, 9, -1, 6, 1, 2, 3, 12, -8]
// arg: out int 16 => (a0[i] < 8) + 2 * (a0[i] <= 8) + 4 * (a0[i] > 8) + 8 * (a0[i] >= 8) + 16 * (a0[i] == 8) + 32 * (a0[i] != 8)
kernel void size(global const int *in, global int *out) {
  int g = get_global_id(0);
  long z = in[g], n = get_local_size(0);
  out[g] = (z < n) + 2 * (z <= n) + 4 * (z > n) + 8 * (z >= n) + 16 * (z == n) + 32 * (z != n);
}
// kernel: largest
// global: 16
// arg: in int 16 = [0, 5, 15, 16, -3, 100, -2147483648, 2147483647, 9, -1, 17, 1, 2, 3, 12, -8]
// arg: out int 16 => (15 < a0[i]) + 2 * (15 < a0[i]) + 4 * (max(a0[i], 3) > 15) + 8 * (min(max(a0[i], -5), 40) <= 15)
kernel void largest(global const int *in, global int *out) {
  int g = get_global_id(0), z = in[g];
  long w = z;
  out[g] = (15L < max((long)z, (long)z)) + 2 * (min(w, w) > 15L) + 4 * (max(w, 3L) > 15) + 8 * (clamp(w, -5L, 40L) <= 15);
}
// The other side becomes a constant when the loop is unrolled; it goes through a select.
// kernel: turns
// global: 8
// arg: in int 8 = [0, 1, 2, 3, -1, -7, 9, 4]
// arg: out int 8 => a0[i] < 0 ? 0 : min(a0[i], 4)
kernel void turns(global const int *in, global int *out) {
  int g = get_global_id(0), sum = 0;
  long z = in[g];
  for (long k = 0; k < 4; k++) {
    long bound = get_local_size(0) > 1000000 ? 77 : k;
    sum += z > bound;
  }
  out[g] = sum;
}
// Tests of the sign bit, which drivers turn into comparisons with zero.
// kernel: signs
// global: 8
// arg: in int 8 = [0, 1, -1, -2147483648, 2147483647, 5, -5, 100]
// arg: out int 8 => a0[i] < 0 ? 1 + 2 + 4 + 16 : 8
kernel void signs(global const int *in, global int *out) {
  int g = get_global_id(0);
  long z = in[g];
  out[g] = ((z & LONG_MIN) != 0) + 2 * ((z >> 63) != 0) + 4 * (((ulong)z >> 63) == 1) + 8 * ((z >> 63) == 0) +
           16 * (((ulong)z >> 63) != 0);
}
// Values that are widened in several steps, through other types, and vectors.
// kernel: wider
// global: 8
// arg: in int 8 = [0, 1, -1, -100, 100, 5, -5, 12]
// arg: out int 8 => (a0[i] < 8) + 2 * (a0[i] < 8) + 4 * (a0[i] >= 1) + 8 * (a0[i] * 2 < 8) + 16 * (a0[i] % 4 < 1) + 32 * (a0[i] / 4 < 1)
// local: 8
kernel void wider(global const int *in, global int *out) {
  int g = get_global_id(0);
  long n = get_local_size(0);
  char c = in[g];
  short s = in[g];
  long2 v = convert_long2((int2)(in[g], 2 * in[g]));
  out[g] = ((long)c < n) + 2 * ((long)s < n) + 4 * (v.x >= n / 8) + 8 * (v.y < n) + 16 * ((long)in[g] % (n / 2) < 1) +
           32 * ((long)in[g] / (n / 2) < 1);
}
