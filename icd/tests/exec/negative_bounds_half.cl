// Bounds of -0 for halves, alone and beside other numbers of a vector.
// needs: cl_khr_fp16

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// kernel: between_negative_zero_and_one
// global: 6
// arg: out ushort 6 => [0x8000, 0x3400, 0x3800, 0x3c00, 0x8000, 0x8000]
// arg: in ushort 6 = [0x8000, 0x3400, 0x3800, 0x4000, 0xbc00, 0x7e00]
kernel void between_negative_zero_and_one(global ushort *out, global const ushort *xs) {
  int i = get_global_id(0);
  half x = as_half(xs[i]);
  half y = fmin(fmax(x, as_half((ushort)0x8000)), (half)1.0f);
  out[i] = as_ushort(y);
}

// kernel: one_of_two_bounds
// global: 3
// arg: out ushort 6 => [0x8000, 0x8000, 0x3400, 0x4000, 0x3c00, 0x3800]
// arg: in ushort 6 = [0xbc00, 0xbc00, 0x3400, 0x4000, 0x4200, 0x3800]
kernel void one_of_two_bounds(global ushort2 *out, global const ushort2 *xs) {
  int i = get_global_id(0);
  half2 x = as_half2(xs[i]);
  half2 low = as_half2((ushort2)(0x8000, 0x8000)), high = as_half2((ushort2)(0x3c00, 0x7c00));
  out[i] = as_ushort2(fmin(fmax(x, low), high));
}
