//! Halves in memory: what `vload_half` reads and `vstore_half` writes is exact, with subnormal numbers and ties, whether
//! the device or the library converts. The host computes the expected results with integers.

use crate::cl;
use crate::common::CL_SUCCESS;
use crate::lab::{Arg, Lab};

const SOURCE: &str = "
    kernel void load(global const half *p, global float *f) { size_t i = get_global_id(0); f[i] = vload_half(i, p); }
    kernel void load4(global const half *p, global float *f) {
        size_t i = get_global_id(0); vstore4(vload_half4(i, p), i, f); }
    kernel void store(global const float *f, global half *p) { size_t i = get_global_id(0); vstore_half(f[i], i, p); }
    kernel void store4(global const float *f, global half *p) {
        size_t i = get_global_id(0); vstore_half4_rte(vload4(i, f), i, p); }
    kernel void store_down(global const float *f, global half *p) {
        size_t i = get_global_id(0); vstore_half_rtz(f[i], i, p); }";

/// Returns the number that bits of a half stand for, times 2^24, which is an integer.
fn scaled(magnitude: u16) -> u64 {
    let (exponent, mantissa) = (magnitude >> 10, u64::from(magnitude & 0x3ff));
    match exponent {
        0 => mantissa,
        _ => (mantissa | 0x400) << (exponent - 1),
    }
}

/// Returns the float that is equal to a half.
fn to_float(half: u16) -> f32 {
    let magnitude = half & 0x7fff;
    let value = match magnitude {
        0x7c00 => f32::INFINITY,
        0x7c01.. => f32::NAN,
        _ => scaled(magnitude) as f32 * 2.0_f32.powi(-24),
    };
    if half < 0x8000 { value } else { -value }
}

/// Returns the half next to a float, or the next one towards zero.
fn to_half(x: f32, nearest: bool) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    if x.is_infinite() {
        return sign | 0x7c00;
    }
    let size = f64::from(x.abs()) * f64::from(1 << 24);
    // The greatest half that is not greater.
    let is_below = |h: u16| h < 0x7c00 && scaled(h) as f64 <= size;
    let below = (0..15)
        .rev()
        .fold(0, |h, bit| if is_below(h | 1 << bit) { h | 1 << bit } else { h });
    let middle = (scaled(below) + scaled(below + 1)) as f64 / 2.0;
    let up = nearest && (size > middle || size == middle && below % 2 == 1);
    sign | (below + u16::from(up))
}

/// Returns floats that are halves, next to halves, and between them.
fn floats() -> Vec<f32> {
    let mut all = Vec::new();
    for h in (0..0x7c00_u16)
        .step_by(13)
        .chain(0..40)
        .chain(0x3f0..0x410)
        .chain(0x7bf0..0x7c00)
    {
        for offset in [0_i32, 1, -1, 0x1000, 0xfff, 0x1001] {
            let bits = (to_float(h).to_bits() as i32).saturating_add(offset).max(0);
            all.extend([f32::from_bits(bits as u32), -f32::from_bits(bits as u32)]);
        }
    }
    all.extend([
        65519.0,
        65520.0,
        1e30,
        f32::INFINITY,
        1e-30,
        2.0_f32.powi(-25),
        3e-8,
        f32::NAN,
    ]);
    all.resize(all.len().next_multiple_of(4), 0.5);
    all
}

#[test]
fn halves_in_memory_are_converted_exactly() {
    let lab = Lab::new();
    let program = lab.build(SOURCE);
    let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
    for (kernel, items) in [("load", 1 << 16), ("load4", 1 << 14)] {
        let results = lab.run(
            program,
            kernel,
            items,
            None,
            &[Arg::In(&halves), Arg::Out(1 << 18)],
        );
        for (half, bytes) in (0..=u16::MAX).zip(results[0].chunks_exact(4)) {
            let (found, wanted) = (f32::from_ne_bytes(bytes.try_into().unwrap()), to_float(half));
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(same, "{kernel}, half {half:04x}: {found:e}, not {wanted:e}");
        }
    }
    let floats = floats();
    let input: Vec<u8> = floats.iter().flat_map(|f| f.to_ne_bytes()).collect();
    for (kernel, lanes) in [("store", 1), ("store4", 4), ("store_down", 1)] {
        let args = [Arg::In(&input), Arg::Out(2 * floats.len())];
        let results = lab.run(program, kernel, floats.len() / lanes, None, &args);
        for (&x, bytes) in floats.iter().zip(results[0].chunks_exact(2)) {
            let found = u16::from_ne_bytes(bytes.try_into().unwrap());
            let same = match x.is_nan() {
                true => found & 0x7fff > 0x7c00,
                false => found == to_half(x, kernel != "store_down"),
            };
            assert!(same, "{kernel}, {x:e} ({:08x}): {found:04x}", x.to_bits());
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
}
