// kernel: loops
// global: 100
// arg: out int 100 => tri(i) * 2 + (i > 10 ? 55 - 0 : tri(i))
kernel void loops(global int *out) {
  int n = get_global_id(0), a = 0, b = 0;
  for (int k = 0; k <= n; k++)
    a += 2 * k;
  int k = 0;
  while (1) {
    if (k > n || k > 10)
      break;
    b += k++;
  }
  out[n] = a + b;
}
// Counters with steps that are known only at run time: near the greatest number, with steps of a quarter of all numbers, with no
// iteration and a step that is not positive. The second loop is the reference.
// kernel: strides
// global: 8
// arg: in int 8 = [0, -2147483648, -2147483648, 5, 0, 2147483641, -7, 3]
// arg: in int 8 = [100, 2147483632, 2147483628, 5, 0, 2147483647, 6, -9]
// arg: in int 8 = [3, 1073741823, 1073741819, -2, 0, 3, 2, -1]
// arg: in int 16 = i * i + 1
// arg: out int 8 => a0[i] < a1[i] ? (a1[i] - a0[i] + a2[i] - 1) / a2[i] : 0
kernel void strides(global const int *first, global const int *bound, global const int *step, global const int *data,
                    global int *out) {
  int i = get_global_id(0), last = bound[i], by = step[i];
  int sum = 0, count = 0, other = 0;
  for (int k = first[i]; k < last; k += by)
    sum += data[(k ^ k >> 28) & 15];
#pragma unroll 1
  for (int k = first[i]; k < last; k += by) {
    other += data[(k ^ k >> 28) & 15];
    count++;
  }
  out[i] = sum == other ? count : -1;
}
// kernel: early_break
// global: 64
// arg: in int 64 = (i * 37) % 64
// arg: out int 64 => a0[i] == 0 ? 0 : tri(min(a0[i], 20) - 1) + (a0[i] > 20 ? 1000 : 0)
kernel void early_break(global const int *in, global int *out) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < in[i]; k++) {
    if (k == 20) {
      sum += 1000;
      break;
    }
    sum += k;
  }
  out[i] = sum;
}
// kernel: nested
// global: 32
// arg: out int 32 => i < 5 ? i : i < 20 ? 5 : 100 + i
kernel void nested(global int *out) {
  int i = get_global_id(0), found = -1;
  for (int y = 0; y < 10 && found < 0; y++) {
    for (int x = 0; x < 10; x++) {
      if (x == i) continue;
      if (y * 10 + x > i && i < 5) { found = i; break; }
      if (y == 1 && i >= 5 && i < 20) { found = 5; goto done; }
    }
  }
done:
  if (found < 0) found = 100 + i;
  out[i] = found;
}
// kernel: switches
// global: 16
// arg: out int 16 => i == 0 ? 10 : i == 1 ? 31 : i == 2 ? 30 : i == 3 ? 3 : i == 7 ? 99 : i == 8 ? 99 : -1
kernel void switches(global int *out) {
  int i = get_global_id(0), r = 0;
  switch (i) {
  case 0:
    r = 10;
    break;
  case 1:
    r = 1;
  case 2:
    r += 30;
    break;
  case 7:
  case 8:
    r = 99;
    break;
  default:
    r = -1;
    break;
  case 3:
    r = 3;
  }
  out[i] = r;
}
// kernel: duff
// global: 40
// arg: out int 40 => i
kernel void duff(global int *out) {
  int count = get_global_id(0), sum = 0;
  if (count > 0) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { sum++;
    case 3:      sum++;
    case 2:      sum++;
    case 1:      sum++;
            } while (--n > 0);
    }
  }
  out[get_global_id(0)] = sum;
}
// kernel: returns
// global: 30
// arg: out int 30 => i < 10 ? 1 : i < 20 ? 2 : 3
int pick(int i) {
  for (int k = 0; k < 3; k++) {
    if (i < 10) return 1;
    if (k == 1 && i < 20) return 2;
  }
  return 3;
}
kernel void returns(global int *out) {
  int i = get_global_id(0);
  out[i] = pick(i);
  if (i >= 0) return;
  out[i] = -1;
}
// kernel: short_circuit
// global: 20
// arg: in int 4 = i * 5
// arg: out int 20 => i < 4 ? (a0[i] > 7) : 0
kernel void short_circuit(global const int *in, global int *out) {
  int i = get_global_id(0);
  out[i] = i < 4 && in[i] > 7;
}
