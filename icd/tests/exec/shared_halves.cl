// Minima and maxima of vectors of halves with arguments of the kernel, which all work-items share.
// needs: cl_khr_fp16

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// The elements of a vector are clamped to two arguments, and the result once more.
//
// kernel: clamped_to_arguments
// global: 2
// arg: out ushort 8 => [0x3c00, 0x4000, 0x3e00, 0x4000, 0x3c00, 0x3c00, 0x4000, 0x3c00]
// arg: in ushort 8 = [0x0000, 0x4500, 0x3e00, 0x7c00, 0xbc00, 0x8000, 0x4200, 0xfc00]
// arg: value ushort = 0x3c00
// arg: value ushort = 0x4000
kernel void clamped_to_arguments(global ushort4 *out, global const ushort4 *xs, ushort low, ushort high) {
  int i = get_global_id(0);
  half4 x = as_half4(xs[i]);
  half4 y = fmin(fmax(x, as_half(low)), as_half(high));
  out[i] = as_ushort4(y);
}

// The least of three numbers, of which one is an argument.
//
// kernel: least_of_three
// global: 2
// arg: out ushort 4 => [0x3c00, 0x3c00, 0x3800, 0xbc00]
// arg: in ushort 4 = [0x4000, 0x4500, 0x3800, 0x7c00]
// arg: in ushort 4 = [0x4000, 0x4200, 0x4000, 0xbc00]
// arg: value ushort = 0x3c00
kernel void least_of_three(global ushort2 *out, global const ushort2 *xs, global const ushort2 *ys, ushort a) {
  int i = get_global_id(0);
  half2 x = as_half2(xs[i]), y = as_half2(ys[i]);
  out[i] = as_ushort2(fmin((half2)(as_half(a)), fmin(x, y)));
}

// A product of 0 and a number whose sign comes from a bound that is -0, in one element.
//
// kernel: bound_of_one_element
// global: 1
// arg: out ushort 4 => [0x0000, 0x0000, 0x8000, 0x8000]
// arg: in ushort 4 = [0x4000, 0x3c00, 0xbc00, 0x4400]
// arg: in ushort 4 = [0x4200, 0x3c00, 0xbc00, 0x4400]
// arg: value ushort = 0x8000
kernel void bound_of_one_element(global ushort4 *out, global const ushort4 *xs, global const ushort4 *ys, ushort zero) {
  int i = get_global_id(0);
  half4 x = as_half4(xs[i]), y = as_half4(ys[i]);
  half4 bounds = (half4)(as_half((ushort)0x6800), (half)INFINITY, (half)0.0f, as_half(zero));
  out[i] = as_ushort4((half4)(0.0f) * fmin(bounds, clamp(x, y, y)));
}
