constant int table[8] = {5, 3, 1, 7, 11, 13, 2, 9};
constant float scale = 2.5f;
constant char text[] = "caldera";
constant int2 pairs[2] = {(int2)(1, 2), (int2)(3, 4)};

// kernel: lookup
// global: 64
// arg: out int 64 => (i % 8 == 0 ? 5 : i % 8 == 1 ? 3 : i % 8 == 2 ? 1 : i % 8 == 3 ? 7 : i % 8 == 4 ? 11 : i % 8 == 5 ? 13 : i % 8 == 6 ? 2 : 9) + (i % 2 == 0 ? 1 : 4)
// arg: out float 64 => i * 2.5
// arg: out char 64 => i % 8 == 0 ? 99 : i % 8 == 1 ? 97 : i % 8 == 2 ? 108 : i % 8 == 3 ? 100 : i % 8 == 4 ? 101 : i % 8 == 5 ? 114 : i % 8 == 6 ? 97 : 0
kernel void lookup(global int *a, global float *b, global char *c) {
  int i = get_global_id(0);
  a[i] = table[i % 8] + (i % 2 ? pairs[1].y : pairs[0].x);
  b[i] = i * scale;
  c[i] = text[i % 8];
}
// kernel: argument
// global: 16
// arg: in float 16 = i * i
// arg: out float 16 => a0[15 - i] + 1
kernel void argument(constant float *c, global float *out) {
  out[get_global_id(0)] = c[15 - get_global_id(0)] + 1.0f;
}
