// needs: cl_khr_fp16
// Truth values whose bits are those of halves: NVIDIA's driver converted the truth value instead of the half (compiler ADR 7,
// converted_truths).

// kernel: conversions
// global: 4
// arg: out uint 16 => [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0]
// arg: in ushort 8 = [0x3c00, 0x4000, 0x4000, 0x3c00, 0x7e00, 0x7e00, 0x0, 0x0]
kernel void conversions(global uint *out, global const half *in) {
  size_t i = get_global_id(0);
  const half x = in[2 * i], y = in[2 * i + 1];
  out[i] = (ushort)as_half((ushort)(y > x));
  out[4 + i] = convert_ushort_sat(as_half(convert_ushort(!(max((half)0x3ffp-24f, x) != (half)0.0f) || isordered(y, x * x))));
  out[8 + i] = (uint)(int)trunc(as_half((ushort)(x == y ? 0 : 1)));
  out[12 + i] = as_half((ushort)(y > x || isnan(x))) > (half)0.0f;
}
