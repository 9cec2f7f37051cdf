//! Evaluation of operations on the bits of one lane, according to IEEE 754 with rounding to nearest even.
//!
//! Lanes are raw bits, zero-extended to 64, as in [`super::Const`]. `None` means that the operation leaves
//! the result undefined (division by zero) or that the result depends on the device (transcendental
//! functions).

use super::ty::untagged;
use super::{AddressSpace, BinOp, CastOp, CmpOp, Op, Scalar, Ty, UnOp};
use crate::half;
use crate::intrinsic::{DotSigns, Intrinsic, SubgroupOp};

/// Clears the bits beyond the type's width.
pub fn truncate(scalar: Scalar, bits: u64) -> u64 {
    match scalar.bits() {
        0 | 64 => bits,
        n => bits & ((1 << n) - 1),
    }
}

/// Returns the bits as a signed number.
pub fn signed(scalar: Scalar, bits: u64) -> i64 {
    match scalar.bits() {
        0 | 64 => bits as i64,
        n => ((bits << (64 - n)) as i64) >> (64 - n),
    }
}

/// Returns the exact value of a float.
pub fn to_f64(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => half::to_f64(bits as u16),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Rounds a number to the type.
pub fn from_f64(scalar: Scalar, v: f64) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(half::from_f64(v)),
        Scalar::F32 => u64::from((v as f32).to_bits()),
        _ => v.to_bits(),
    }
}

/// Evaluates an operation in f64 or, for f32, in f32. f16 is computed in f64, whose precision is large enough
/// that the second rounding cannot change the result.
fn float(scalar: Scalar, a: u64, b: u64, wide: fn(f64, f64) -> f64, single: fn(f32, f32) -> f32) -> u64 {
    match scalar {
        Scalar::F32 => u64::from(single(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
        _ => from_f64(scalar, wide(to_f64(scalar, a), to_f64(scalar, b))),
    }
}

/// Returns whether the exact result of an addition, subtraction or multiplication of signed integers does not fit into
/// their type.
pub fn wraps(op: BinOp, scalar: Scalar, a: u64, b: u64) -> bool {
    let (a, b) = (i128::from(signed(scalar, a)), i128::from(signed(scalar, b)));
    let exact = match op {
        BinOp::IAdd => a + b,
        BinOp::ISub => a - b,
        BinOp::IMul => a * b,
        _ => return false,
    };
    exact >> (scalar.bits() - 1) != exact >> 127
}

/// Evaluates an operation with two operands.
pub fn binary(op: BinOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(scalar, a), signed(scalar, b));
    let count = (b % u64::from(scalar.bits().max(1))) as u32;
    let bits = match op {
        BinOp::IAdd => a.wrapping_add(b),
        BinOp::ISub => a.wrapping_sub(b),
        BinOp::IMul => a.wrapping_mul(b),
        BinOp::SDiv => sa.checked_div(sb)? as u64,
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::SRem => sa.checked_rem(sb)? as u64,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::Shl => a << count,
        BinOp::AShr => (sa >> count) as u64,
        BinOp::LShr => a >> count,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::FAdd => float(scalar, a, b, |a, b| a + b, |a, b| a + b),
        BinOp::FSub => float(scalar, a, b, |a, b| a - b, |a, b| a - b),
        BinOp::FMul => float(scalar, a, b, |a, b| a * b, |a, b| a * b),
        BinOp::FDiv => float(scalar, a, b, |a, b| a / b, |a, b| a / b),
        BinOp::FRem => float(scalar, a, b, |a, b| a % b, |a, b| a % b),
    };
    // The most negative number divided by -1 overflows for the narrower types, too.
    if matches!(op, BinOp::SDiv | BinOp::SRem)
        && sb == -1
        && signed(scalar, truncate(scalar, sa.wrapping_neg() as u64)) == sa
        && sa != 0
    {
        return None;
    }
    Some(truncate(scalar, bits))
}

/// Evaluates an operation with one operand.
pub fn unary(op: UnOp, scalar: Scalar, a: u64) -> u64 {
    let bits = match op {
        UnOp::INeg => a.wrapping_neg(),
        UnOp::Not => !a,
        UnOp::FNeg => a ^ 1 << (scalar.bits() - 1),
    };
    truncate(scalar, bits)
}

/// Evaluates a comparison.
pub fn compare(op: CmpOp, scalar: Scalar, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(scalar, a), signed(scalar, b));
    match op {
        CmpOp::IEq => return a == b,
        CmpOp::INe => return a != b,
        CmpOp::SLt => return sa < sb,
        CmpOp::SLe => return sa <= sb,
        CmpOp::SGt => return sa > sb,
        CmpOp::SGe => return sa >= sb,
        CmpOp::ULt => return a < b,
        CmpOp::ULe => return a <= b,
        CmpOp::UGt => return a > b,
        CmpOp::UGe => return a >= b,
        _ => {}
    }
    let (fa, fb) = (to_f64(scalar, a), to_f64(scalar, b));
    let unordered = fa.is_nan() || fb.is_nan();
    match op {
        CmpOp::FOEq => fa == fb,
        CmpOp::FONe => !unordered && fa != fb,
        CmpOp::FOLt => fa < fb,
        CmpOp::FOLe => fa <= fb,
        CmpOp::FOGt => fa > fb,
        CmpOp::FOGe => fa >= fb,
        CmpOp::FUNe => fa != fb,
        CmpOp::FUEq => unordered || fa == fb,
        CmpOp::FULt => unordered || fa < fb,
        CmpOp::FULe => unordered || fa <= fb,
        CmpOp::FUGt => unordered || fa > fb,
        CmpOp::FUGe => unordered || fa >= fb,
        CmpOp::IEq
        | CmpOp::INe
        | CmpOp::SLt
        | CmpOp::SLe
        | CmpOp::SGt
        | CmpOp::SGe
        | CmpOp::ULt
        | CmpOp::ULe
        | CmpOp::UGt
        | CmpOp::UGe => false,
    }
}

/// Evaluates a conversion of one lane. `Bitcast` is between types of the same width.
pub fn cast(op: CastOp, from: Scalar, to: Scalar, a: u64) -> Option<u64> {
    let bits = match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast | CastOp::PtrToInt | CastOp::IntToPtr => a,
        CastOp::PtrCast => match (from, to) {
            (Scalar::Ptr(AddressSpace::Generic), _) => untagged(a),
            (Scalar::Ptr(space), Scalar::Ptr(AddressSpace::Generic)) => space.to_generic(a),
            _ => a,
        },
        CastOp::SExt => signed(from, a) as u64,
        CastOp::FConvert => from_f64(to, to_f64(from, a)),
        CastOp::FToS => {
            let v = to_f64(from, a).trunc();
            let limit = 2f64.powi(to.bits() as i32 - 1);
            if !(-limit..limit).contains(&v) {
                return None;
            }
            v as i64 as u64
        }
        CastOp::FToU => {
            let v = to_f64(from, a).trunc();
            if !(0.0..2f64.powi(to.bits() as i32)).contains(&v) {
                return None;
            }
            v as u64
        }
        // Convert straight to f32, because a detour through f64 would round twice. For f16 the detour is
        // harmless: numbers that f64 cannot represent exactly are far beyond f16's range.
        CastOp::SToF if to == Scalar::F32 => u64::from((signed(from, a) as f32).to_bits()),
        CastOp::UToF if to == Scalar::F32 => u64::from((a as f32).to_bits()),
        CastOp::SToF => from_f64(to, signed(from, a) as f64),
        CastOp::UToF => from_f64(to, a as f64),
    };
    Some(truncate(to, bits))
}

/// Returns the same bits as lanes of another type, in little-endian order.
pub fn bitcast(lanes: &[u64], from: Ty, to: Ty) -> Vec<u64> {
    let width = from.scalar.bytes() as usize;
    let bytes: Vec<u8> = lanes
        .iter()
        .flat_map(|l| l.to_le_bytes().into_iter().take(width))
        .collect();
    bytes
        .chunks(to.scalar.bytes().max(1) as usize)
        .map(|c| c.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
        .collect()
}

/// Evaluates an exact intrinsic that works lane by lane on operands of one type. `None`: the intrinsic is not
/// one of these.
pub fn intrinsic(op: Intrinsic, scalar: Scalar, args: &[u64]) -> Option<u64> {
    let a = *args.first()?;
    let b = args.get(1).copied().unwrap_or(0);
    let (sa, sb) = (signed(scalar, a), signed(scalar, b));
    let width = scalar.bits();
    let round = |f: fn(f64) -> f64| from_f64(scalar, f(to_f64(scalar, a)));
    let bits = match op {
        Intrinsic::FAbs => a & !(1 << (width - 1)),
        Intrinsic::Floor => round(f64::floor),
        Intrinsic::Ceil => round(f64::ceil),
        Intrinsic::Trunc => round(f64::trunc),
        Intrinsic::RoundEven => round(f64::round_ties_even),
        // f64 is precise enough that rounding its root once more gives the correctly rounded result.
        Intrinsic::Sqrt => round(f64::sqrt),
        Intrinsic::FMin | Intrinsic::FMax => {
            let (fa, fb) = (to_f64(scalar, a), to_f64(scalar, b));
            let first = if op == Intrinsic::FMin { fa < fb } else { fa > fb };
            if fb.is_nan() || first { a } else { b }
        }
        // The operation rounds once. For f16, f64 holds all digits of the product and sum that the rounding
        // depends on.
        Intrinsic::Fma => {
            let c = args.get(2).copied().unwrap_or(0);
            match scalar {
                Scalar::F32 => {
                    let [a, b, c] = [a, b, c].map(|v| f32::from_bits(v as u32));
                    u64::from(a.mul_add(b, c).to_bits())
                }
                _ => {
                    let [a, b, c] = [a, b, c].map(|v| to_f64(scalar, v));
                    from_f64(scalar, a.mul_add(b, c))
                }
            }
        }
        Intrinsic::SAbs => sa.wrapping_abs() as u64,
        Intrinsic::SMin => sa.min(sb) as u64,
        Intrinsic::SMax => sa.max(sb) as u64,
        Intrinsic::UMin => a.min(b),
        Intrinsic::UMax => a.max(b),
        Intrinsic::UMulHigh => ((u128::from(a) * u128::from(b)) >> width) as u64,
        Intrinsic::SMulHigh => ((i128::from(sa) * i128::from(sb)) >> width) as u64,
        Intrinsic::PopCount => u64::from(a.count_ones()),
        Intrinsic::Clz => u64::from(a.leading_zeros() + width - 64),
        Intrinsic::Ctz => u64::from(a.trailing_zeros().min(width)),
        Intrinsic::BitReverse => a.reverse_bits() >> (64 - width),
        Intrinsic::PackedDot(signs) => packed_dot(signs, a, b) as u64,
        Intrinsic::PackedDotAccSat(signs) => {
            let c = args.get(2).copied().unwrap_or(0);
            let dot = packed_dot(signs, a, b);
            match signs {
                DotSigns::Unsigned => (dot + c as i64).min(u32::MAX.into()) as u64,
                DotSigns::Signed | DotSigns::Mixed => {
                    (dot + signed(scalar, c)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
                }
            }
        }
        _ => return None,
    };
    Some(truncate(scalar, bits))
}

/// Returns the dot product of two vectors of four bytes.
fn packed_dot(signs: DotSigns, a: u64, b: u64) -> i64 {
    let [first, second] = signs.of_operands();
    let lane = |word: u64, n: u32, is_signed: bool| {
        let byte = (word >> (8 * n)) as u8;
        if is_signed {
            i64::from(byte as i8)
        } else {
            i64::from(byte)
        }
    };
    (0..4).map(|n| lane(a, n, first) * lane(b, n, second)).sum()
}

/// Returns the operation that joins two numbers, as the operation of sub-groups does with those of all work-items.
pub fn joining(op: SubgroupOp) -> Op {
    match op {
        SubgroupOp::IAdd => Op::Binary(BinOp::IAdd),
        SubgroupOp::FAdd => Op::Binary(BinOp::FAdd),
        SubgroupOp::IMul => Op::Binary(BinOp::IMul),
        SubgroupOp::FMul => Op::Binary(BinOp::FMul),
        SubgroupOp::And => Op::Binary(BinOp::And),
        SubgroupOp::Or => Op::Binary(BinOp::Or),
        SubgroupOp::Xor => Op::Binary(BinOp::Xor),
        SubgroupOp::SMin => Op::Intrinsic(Intrinsic::SMin),
        SubgroupOp::UMin => Op::Intrinsic(Intrinsic::UMin),
        SubgroupOp::FMin => Op::Intrinsic(Intrinsic::FMin),
        SubgroupOp::SMax => Op::Intrinsic(Intrinsic::SMax),
        SubgroupOp::UMax => Op::Intrinsic(Intrinsic::UMax),
        SubgroupOp::FMax => Op::Intrinsic(Intrinsic::FMax),
    }
}

/// Returns the identity element of an operation of sub-groups: what joined with any other number gives that number, except
/// that the sum with −0 is 0.
pub fn identity(op: SubgroupOp, scalar: Scalar) -> u64 {
    let highest = u64::MAX >> (64 - scalar.bits());
    match op {
        SubgroupOp::IAdd | SubgroupOp::FAdd | SubgroupOp::UMax | SubgroupOp::Or | SubgroupOp::Xor => 0,
        SubgroupOp::IMul => 1,
        SubgroupOp::FMul => from_f64(scalar, 1.0),
        SubgroupOp::UMin | SubgroupOp::And => highest,
        SubgroupOp::SMin => highest >> 1,
        SubgroupOp::SMax => (highest >> 1) + 1,
        SubgroupOp::FMin => from_f64(scalar, f64::INFINITY),
        SubgroupOp::FMax => from_f64(scalar, f64::NEG_INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_integers_wrap_and_sign_extend() {
        assert_eq!(binary(BinOp::IAdd, Scalar::I8, 200, 100), Some(44));
        assert_eq!(binary(BinOp::SDiv, Scalar::I8, 0x80, 0xff), None);
        assert_eq!(binary(BinOp::SDiv, Scalar::I8, 0x81, 0xff), Some(127));
        assert_eq!(binary(BinOp::SDiv, Scalar::I32, 7, 0), None);
        assert_eq!(
            binary(BinOp::SRem, Scalar::I32, (-7i32) as u32 as u64, 3),
            Some((-1i32) as u32 as u64)
        );
        assert_eq!(binary(BinOp::AShr, Scalar::I16, 0x8000, 17), Some(0xc000));
        assert_eq!(
            cast(CastOp::SExt, Scalar::I8, Scalar::I32, 0xff),
            Some(0xffff_ffff)
        );
        assert_eq!(
            cast(CastOp::SExt, Scalar::Bool, Scalar::I32, 1),
            Some(0xffff_ffff)
        );
    }

    #[test]
    fn conversions_round_once() {
        let third = (1u64 << 60) + (1 << 36) + 1;
        assert_eq!(
            cast(CastOp::UToF, Scalar::I64, Scalar::F32, third),
            Some(u64::from((third as f32).to_bits()))
        );
        assert_eq!(
            cast(
                CastOp::FToS,
                Scalar::F32,
                Scalar::I32,
                u64::from(3e9f32.to_bits())
            ),
            None
        );
        assert_eq!(
            cast(
                CastOp::FToU,
                Scalar::F32,
                Scalar::I32,
                u64::from(3e9f32.to_bits())
            ),
            Some(3_000_000_000)
        );
        assert_eq!(
            bitcast(&[0x0403_0201], Ty::I32, Ty::vector(Scalar::I8, 4)),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn dot_products_have_the_signs_of_their_operands() {
        let dot = |signs, a: u32, b: u32| {
            let bits = intrinsic(Intrinsic::PackedDot(signs), Scalar::I32, &[a.into(), b.into()]);
            bits.map(|bits| bits as u32 as i32)
        };
        assert_eq!(dot(DotSigns::Unsigned, u32::MAX, u32::MAX), Some(4 * 255 * 255));
        assert_eq!(dot(DotSigns::Signed, 0x8080_8080, 0x8080_8080), Some(4 << 14));
        assert_eq!(dot(DotSigns::Mixed, 0x8080_8080, u32::MAX), Some(-4 * 128 * 255));
        assert_eq!(dot(DotSigns::Mixed, 0x0403_0201, 0x0005_0607), Some(7 + 12 + 15));
        let sum = |signs, a: u32, b: u32, c: u32| {
            let args = [a, b, c].map(u64::from);
            intrinsic(Intrinsic::PackedDotAccSat(signs), Scalar::I32, &args).map(|bits| bits as u32)
        };
        assert_eq!(sum(DotSigns::Unsigned, u32::MAX, 1, 0xffff_ff01), Some(u32::MAX));
        assert_eq!(sum(DotSigns::Unsigned, u32::MAX, 1, 0xffff_ff00), Some(u32::MAX));
        assert_eq!(
            sum(DotSigns::Unsigned, u32::MAX, 1, 0xffff_fe00),
            Some(0xffff_feff)
        );
        assert_eq!(sum(DotSigns::Signed, 0xff, 1, 0x8000_0000), Some(0x8000_0000));
        assert_eq!(sum(DotSigns::Signed, 1, 1, 0x7fff_ffff), Some(0x7fff_ffff));
        assert_eq!(sum(DotSigns::Signed, 0xff, 1, 1), Some(0));
        assert_eq!(sum(DotSigns::Mixed, 0x80, 0xff, 0x8000_7f80), Some(0x8000_0000));
        assert_eq!(sum(DotSigns::Mixed, 0x80, 0xff, 0x8000_7f81), Some(0x8000_0001));
    }

    #[test]
    fn intrinsics_know_the_width() {
        assert_eq!(intrinsic(Intrinsic::Clz, Scalar::I16, &[0]), Some(16));
        assert_eq!(intrinsic(Intrinsic::Ctz, Scalar::I8, &[0]), Some(8));
        assert_eq!(intrinsic(Intrinsic::BitReverse, Scalar::I8, &[1]), Some(0x80));
        assert_eq!(
            intrinsic(Intrinsic::SMulHigh, Scalar::I32, &[0xffff_ffff, 2]),
            Some(0xffff_ffff)
        );
        let nan = u64::from(f32::NAN.to_bits());
        let one = u64::from(1f32.to_bits());
        assert_eq!(intrinsic(Intrinsic::FMin, Scalar::F32, &[nan, one]), Some(one));
        assert_eq!(intrinsic(Intrinsic::FMax, Scalar::F32, &[one, nan]), Some(one));
    }
}
