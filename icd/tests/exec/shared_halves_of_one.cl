// Minima of halves with arguments of the kernel, in a work-group of one work-item, where the driver knows the ids of the work-item.
// needs: cl_khr_fp16

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// kernel: product_with_bounds
// global: 1
// arg: out ushort 2 => [0x8000, 0x8000]
// arg: in ushort 2 = [0xbc00, 0x4400]
// arg: in ushort 2 = [0xbc00, 0x4400]
// arg: value ushort = 0x8000
kernel void product_with_bounds(global ushort2 *out, global const ushort2 *xs, global const ushort2 *ys, ushort zero) {
  half2 x = as_half2(xs[0]), y = as_half2(ys[0]);
  out[0] = as_ushort2((half2)(0.0f) * fmin((half2)((half)0.0f, as_half(zero)), clamp(x, y, y)));
}

// kernel: bounds_of_all_kinds
// global: 1
// arg: out ushort 4 => [0x4200, 0x3c00, 0xbc00, 0x8000]
// arg: in ushort 4 = [0x4000, 0x3c00, 0xbc00, 0x4400]
// arg: in ushort 4 = [0x4200, 0x3c00, 0xbc00, 0x4400]
// arg: value ushort = 0x8000
kernel void bounds_of_all_kinds(global ushort4 *out, global const ushort4 *xs, global const ushort4 *ys, ushort zero) {
  half4 x = as_half4(xs[0]), y = as_half4(ys[0]);
  half4 bounds = (half4)(as_half((ushort)0x6800), (half)INFINITY, (half)0.0f, as_half(zero));
  out[0] = as_ushort4(fmin(bounds, clamp(x, y, y)));
}
