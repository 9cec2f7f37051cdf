// Lanes of vectors whose numbers are known only at run time. NVIDIA's driver (580) took other lanes of vectors of 64-bit
// integers where the number was a lane of such a vector.

// kernel: of_two
// global: 64
// arg: in ulong 64 = i * 1000000007
// arg: in ulong 64 = rnd(i)
// arg: out ulong 256 => (a1[(i / 4 + i % 4) % 64] & 4) == 0 ? a0[(i / 4 + (a1[(i / 4 + i % 4) % 64] & 3)) % 64] & 255 : 63
kernel void of_two(global const ulong *in, global const ulong *numbers, global ulong *out) {
  size_t i = get_global_id(0);
  ulong4 x = (ulong4)(in[i], in[(i + 1) % 64], in[(i + 2) % 64], in[(i + 3) % 64]);
  ulong4 mask = (ulong4)(numbers[i], numbers[(i + 1) % 64], numbers[(i + 2) % 64], numbers[(i + 3) % 64]);
  vstore4(shuffle2(x, (ulong4)(63), mask) & (ulong4)(255), i, out);
}

// kernel: of_one
// global: 64
// arg: in ulong 64 = i * 1000000007
// arg: in ulong 64 = rnd(i)
// arg: out ulong 512 => a0[(i / 8 + ((a1[i / 8] + i % 8) & 1)) % 64] + 5
kernel void of_one(global const ulong *in, global const ulong *numbers, global ulong *out) {
  size_t i = get_global_id(0);
  ulong2 x = (ulong2)(in[i], in[(i + 1) % 64]);
  ulong8 mask = (ulong8)(numbers[i]) + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
  vstore8(shuffle(x, mask) + (ulong8)(5), i, out);
}

// kernel: of_three
// global: 64
// arg: in uint 64 = i * 77
// arg: in uint 64 = rnd(i)
// arg: out uint 128 => a0[(i / 2 + a1[(i / 2 + i % 2) % 64] % 3) % 64]
kernel void of_three(global const uint *in, global const uint *numbers, global uint *out) {
  size_t i = get_global_id(0);
  uint4 x = (uint4)(in[i], in[(i + 1) % 64], in[(i + 2) % 64], 0);
  uint2 mask = (uint2)(numbers[i], numbers[(i + 1) % 64]) % (uint2)(3);
  vstore2(shuffle(x, mask), i, out);
}
