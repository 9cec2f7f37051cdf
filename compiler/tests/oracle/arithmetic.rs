//! Compares `ir::eval`, which folding and the interpreter share, with a second implementation. The oracle
//! alone could not detect a fault in it.

use crate::exact::{self, Expected};
use crate::generator::Random;
use crate::reference;
use caldera_compiler::intrinsic::{DotSigns, Intrinsic};
use caldera_compiler::ir::{BinOp, CastOp, CmpOp, Scalar, UnOp, eval};
use caldera_compiler::pass::analysis::facts;

const INTEGERS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];

pub(crate) const INTEGER_OPS: [BinOp; 13] = [
    BinOp::IAdd,
    BinOp::ISub,
    BinOp::IMul,
    BinOp::SDiv,
    BinOp::UDiv,
    BinOp::SRem,
    BinOp::URem,
    BinOp::Shl,
    BinOp::AShr,
    BinOp::LShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];
pub(crate) const FLOAT_OPS: [BinOp; 5] = [BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv, BinOp::FRem];
pub(crate) const INTEGER_COMPARISONS: [CmpOp; 10] = [
    CmpOp::IEq,
    CmpOp::INe,
    CmpOp::SLt,
    CmpOp::SLe,
    CmpOp::SGt,
    CmpOp::SGe,
    CmpOp::ULt,
    CmpOp::ULe,
    CmpOp::UGt,
    CmpOp::UGe,
];
pub(crate) const FLOAT_COMPARISONS: [CmpOp; 12] = [
    CmpOp::FOEq,
    CmpOp::FONe,
    CmpOp::FOLt,
    CmpOp::FOLe,
    CmpOp::FOGt,
    CmpOp::FOGe,
    CmpOp::FUNe,
    CmpOp::FUEq,
    CmpOp::FULt,
    CmpOp::FULe,
    CmpOp::FUGt,
    CmpOp::FUGe,
];
pub(crate) const INTEGER_INTRINSICS: [Intrinsic; 11] = [
    Intrinsic::SAbs,
    Intrinsic::SMin,
    Intrinsic::SMax,
    Intrinsic::UMin,
    Intrinsic::UMax,
    Intrinsic::UMulHigh,
    Intrinsic::SMulHigh,
    Intrinsic::PopCount,
    Intrinsic::Clz,
    Intrinsic::Ctz,
    Intrinsic::BitReverse,
];
pub(crate) const FLOAT_INTRINSICS: [Intrinsic; 6] = [
    Intrinsic::FAbs,
    Intrinsic::Floor,
    Intrinsic::Ceil,
    Intrinsic::Trunc,
    Intrinsic::RoundEven,
    Intrinsic::Sqrt,
];

/// Returns the numbers at which operations of an integer type change their behaviour.
pub(crate) fn boundaries(scalar: Scalar) -> Vec<u64> {
    let width = u64::from(scalar.bits());
    let sign = 1u64 << (width - 1);
    let list = [
        0,
        1,
        2,
        3,
        7,
        width - 1,
        width,
        width + 1,
        2 * width,
        63,
        64,
        sign - 1,
        sign,
        sign + 1,
        sign.wrapping_neg(),
        1u64.wrapping_neg(),
        2u64.wrapping_neg(),
        width.wrapping_neg(),
    ];
    list.map(|n| eval::truncate(scalar, n)).to_vec()
}

/// Returns such numbers of a floating-point type: zeros, subnormal numbers and their limits, ones, the
/// largest number, infinities, NaN.
pub(crate) fn float_boundaries(scalar: Scalar) -> Vec<u64> {
    let digits = match scalar {
        Scalar::F16 => 10,
        Scalar::F32 => 23,
        _ => 52,
    };
    let sign = 1u64 << (scalar.bits() - 1);
    let infinity = ((sign - 1) >> digits) << digits;
    let one = ((infinity / 2) >> digits) << digits;
    let least = 1u64 << digits;
    let mut list = vec![
        0,
        1,
        least - 1,
        least,
        least + 1,
        one - 1,
        one,
        one + 1,
        one + least,
        one + least + least / 2,
        one + (least * digits) + 1,
        infinity - 1,
        infinity,
        infinity + least / 2,
    ];
    list.extend(list.clone().iter().map(|n| n | sign));
    list
}

/// Compares dot products of packed bytes, and what is known of them, for all words of extreme bytes and for random words.
#[test]
fn dot_products_are_those_of_the_reference() {
    let mut random = Random::new(28);
    let mut words: Vec<u64> = [0u64, 1, 0x7f, 0x80, 0x81, 0xff]
        .map(|byte| byte * 0x0101_0101)
        .to_vec();
    words.extend((0..60).map(|_| random.bits(32)));
    let mut sums = boundaries(Scalar::I32);
    sums.extend((0..40).map(|_| random.bits(32)));
    // Sums that come close to the limits.
    let near =
        |limit: u64| [0u64, 65_024, 65_025, 260_099, 260_100, 260_101].map(move |n| limit.wrapping_sub(n));
    let limits = [
        u64::from(u32::MAX),
        0x7fff_ffff,
        0x8000_0000 + 261_120,
        0x8000_0000 + 130_560,
    ];
    sums.extend(
        limits
            .into_iter()
            .flat_map(near)
            .map(|n| eval::truncate(Scalar::I32, n)),
    );
    for signs in DotSigns::ALL {
        for &a in &words {
            for &b in &words {
                let dot = Intrinsic::PackedDot(signs);
                let n = eval::intrinsic(dot, Scalar::I32, &[a, b]).expect("always defined");
                assert_eq!(
                    n,
                    reference::packed_dot(signs, a, b, None),
                    "{signs:?} {a:#x} {b:#x}"
                );
                let unknown = facts::Facts::unknown(32);
                assert!(
                    facts::intrinsic(dot, unknown, unknown).allows(n),
                    "{signs:?} {a:#x} {b:#x}"
                );
                for &c in &sums {
                    let sum = Intrinsic::PackedDotAccSat(signs);
                    assert_eq!(
                        eval::intrinsic(sum, Scalar::I32, &[a, b, c]),
                        Some(reference::packed_dot(signs, a, b, Some(c))),
                        "{signs:?} {a:#x} {b:#x} {c:#x}"
                    );
                }
            }
        }
    }
}

fn check_integers(scalar: Scalar, a: u64, b: u64) {
    let width = scalar.bits();
    for op in INTEGER_OPS {
        assert_eq!(
            eval::binary(op, scalar, a, b),
            reference::integer(op, width, a, b),
            "{op:?} {scalar:?} {a:#x} {b:#x}"
        );
    }
    for op in INTEGER_COMPARISONS {
        assert_eq!(
            Some(eval::compare(op, scalar, a, b)),
            reference::integer_compare(op, width, a, b),
            "{op:?} {scalar:?} {a:#x} {b:#x}"
        );
    }
    for op in INTEGER_INTRINSICS {
        let expected = reference::integer_intrinsic(op, width, a, b);
        assert_eq!(
            eval::intrinsic(op, scalar, &[a, b]),
            expected,
            "{op:?} {scalar:?} {a:#x} {b:#x}"
        );
    }
    for op in [UnOp::INeg, UnOp::Not] {
        assert_eq!(
            Some(eval::unary(op, scalar, a)),
            reference::integer_unary(op, width, a),
            "{op:?} {scalar:?} {a:#x}"
        );
    }
    for to in INTEGERS {
        let cast = |op| eval::cast(op, scalar, to, a);
        let all = |value: i128| Some(value.rem_euclid(1 << to.bits()) as u64);
        if to.bits() < width {
            assert_eq!(cast(CastOp::Trunc), all(reference::signed(width, a)));
        } else {
            assert_eq!(cast(CastOp::ZExt), all(reference::unsigned(width, a)));
            assert_eq!(cast(CastOp::SExt), all(reference::signed(width, a)));
        }
    }
    for to in FLOATS {
        for (op, signed) in [(CastOp::SToF, true), (CastOp::UToF, false)] {
            check_conversion(op, (scalar, signed), (to, true), a);
        }
    }
}

/// Compares a conversion with that of the exact numbers, which the execution tests use as their reference.
fn check_conversion(
    op: CastOp,
    (from, from_signed): (Scalar, bool),
    (to, to_signed): (Scalar, bool),
    a: u64,
) {
    let (from_kind, to_kind) = (reference::kind(from, from_signed), reference::kind(to, to_signed));
    let expected = exact::convert(a, from_kind, to_kind, false, None);
    let got = eval::cast(op, from, to, a);
    let good = match (expected, got) {
        (Expected::Any, None) => true,
        (Expected::Any, Some(_)) | (_, None) => false,
        (expected, Some(bits)) => expected.met_by(to_kind, bits, true),
    };
    assert!(
        good,
        "{op:?} {from:?} {to:?} {a:#x}: {got:x?}, expected {expected:x?}"
    );
}

fn same_float(scalar: Scalar, got: u64, expected: u64) -> bool {
    let kind = reference::kind(scalar, true);
    let nan = |v: u64| exact::decode(kind, v) == exact::Real::Nan;
    got == expected || nan(got) && nan(expected)
}

fn check_floats(scalar: Scalar, a: u64, b: u64, c: u64) {
    for op in FLOAT_OPS {
        let got = eval::binary(op, scalar, a, b).expect("always defined");
        let expected = reference::float(op, scalar, a, b);
        assert!(
            same_float(scalar, got, expected),
            "{op:?} {scalar:?} {a:#x} {b:#x}: {got:#x}, expected {expected:#x}"
        );
    }
    for op in FLOAT_INTRINSICS {
        let got = eval::intrinsic(op, scalar, &[a]).expect("exact");
        let expected = reference::float_intrinsic(op, scalar, a).expect("one of them");
        assert!(
            same_float(scalar, got, expected),
            "{op:?} {scalar:?} {a:#x}: {got:#x}, expected {expected:#x}"
        );
    }
    if scalar != Scalar::F64 {
        let got = eval::intrinsic(Intrinsic::Fma, scalar, &[a, b, c]).expect("exact");
        let expected = reference::fused(scalar, a, b, c);
        assert!(
            same_float(scalar, got, expected),
            "fma {scalar:?} {a:#x} {b:#x} {c:#x}: {got:#x}, expected {expected:#x}"
        );
    }
    let order = reference::order(scalar, a, b);
    for op in FLOAT_COMPARISONS {
        let expected = match op {
            CmpOp::FOEq => order.is_some_and(|o| o.is_eq()),
            CmpOp::FONe => order.is_some_and(|o| o.is_ne()),
            CmpOp::FOLt => order.is_some_and(|o| o.is_lt()),
            CmpOp::FOLe => order.is_some_and(|o| o.is_le()),
            CmpOp::FOGt => order.is_some_and(|o| o.is_gt()),
            CmpOp::FOGe => order.is_some_and(|o| o.is_ge()),
            CmpOp::FUNe => order.is_none_or(|o| o.is_ne()),
            CmpOp::FUEq => order.is_none_or(|o| o.is_eq()),
            CmpOp::FULt => order.is_none_or(|o| o.is_lt()),
            CmpOp::FULe => order.is_none_or(|o| o.is_le()),
            CmpOp::FUGt => order.is_none_or(|o| o.is_gt()),
            _ => order.is_none_or(|o| o.is_ge()),
        };
        assert_eq!(
            eval::compare(op, scalar, a, b),
            expected,
            "{op:?} {scalar:?} {a:#x} {b:#x}"
        );
    }
    for op in [Intrinsic::FMin, Intrinsic::FMax] {
        let got = eval::intrinsic(op, scalar, &[a, b]).expect("exact");
        let wanted = if op == Intrinsic::FMin {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        };
        let is_nan = |v: u64| reference::order(scalar, v, v).is_none();
        // If both are zeros, either is allowed.
        let good = match (order, is_nan(a), is_nan(b)) {
            (Some(o), ..) if o.is_eq() => got == a || got == b,
            (Some(o), ..) => got == if o == wanted { a } else { b },
            (None, true, true) => is_nan(got),
            (None, true, false) => got == b,
            (None, ..) => got == a,
        };
        assert!(good, "{op:?} {scalar:?} {a:#x} {b:#x}: {got:#x}");
    }
    for to in FLOATS {
        check_conversion(CastOp::FConvert, (scalar, true), (to, true), a);
    }
    for to in INTEGERS {
        check_conversion(CastOp::FToS, (scalar, true), (to, true), a);
        check_conversion(CastOp::FToU, (scalar, true), (to, false), a);
    }
}

#[test]
fn integers_of_8_bits_are_computed_alike() {
    for a in 0..256 {
        for b in 0..256 {
            check_integers(Scalar::I8, a, b);
        }
    }
}

#[test]
fn wider_integers_are_computed_alike() {
    let mut random = Random::new(1);
    for scalar in [Scalar::I16, Scalar::I32, Scalar::I64] {
        let special = boundaries(scalar);
        for &a in &special {
            for &b in &special {
                check_integers(scalar, a, b);
            }
        }
        for _ in 0..3_000 {
            let (a, b) = (random.bits(scalar.bits()), random.bits(scalar.bits()));
            check_integers(scalar, a, b);
        }
    }
}

#[test]
fn floats_are_computed_alike() {
    let mut random = Random::new(2);
    for scalar in FLOATS {
        let special = float_boundaries(scalar);
        for &a in &special {
            for &b in &special {
                let c = special[random.below(special.len())];
                check_floats(scalar, a, b, c);
            }
        }
        for _ in 0..3_000 {
            let a = random.bits(scalar.bits());
            // The exponents are often nearly the same.
            let b = match random.below(3) {
                0 => random.bits(scalar.bits()),
                1 => a ^ random.bits(scalar.bits() / 2),
                _ => special[random.below(special.len())],
            };
            let c = match random.below(2) {
                0 => random.bits(scalar.bits()),
                _ => {
                    eval::binary(BinOp::FMul, scalar, a, b).expect("always defined")
                        ^ 1 << (scalar.bits() - 1)
                }
            };
            check_floats(scalar, a, b, c);
        }
    }
}

#[test]
fn every_half_is_converted_alike() {
    for bits in 0..1 << 16 {
        for to in FLOATS {
            check_conversion(CastOp::FConvert, (Scalar::F16, true), (to, true), bits);
        }
    }
}
