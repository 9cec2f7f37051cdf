//! A second implementation of the operations, by other methods than [`caldera_compiler::ir::eval`]: integers
//! as numbers of 128 bits, with division for shifts and a loop for bit operations; floating-point numbers as
//! exact m · 2^e that are rounded once. `None` stands for a result that the IR leaves undefined.

use crate::exact::{Mode, Real, decode, encode};
use crate::scalar::Scalar as Kind;
use caldera_compiler::intrinsic::{DotSigns, Intrinsic};
use caldera_compiler::ir::{BinOp, CmpOp, Scalar, UnOp};

/// Interprets the low `width` bits as an unsigned number.
pub(crate) fn unsigned(width: u32, bits: u64) -> i128 {
    i128::from(bits).rem_euclid(1 << width)
}

/// Interprets the low `width` bits as a signed number.
pub(crate) fn signed(width: u32, bits: u64) -> i128 {
    let value = unsigned(width, bits);
    if value >= 1 << (width - 1) {
        value - (1 << width)
    } else {
        value
    }
}

/// Returns the bits of a number modulo two to the power of the width.
fn wrapped(width: u32, value: i128) -> u64 {
    value.rem_euclid(1 << width) as u64
}

/// Returns the quotient rounded toward zero, and the remainder, which has the sign of the dividend.
fn divided(a: i128, b: i128) -> Option<(i128, i128)> {
    if b == 0 {
        return None;
    }
    let (q, r) = (a.abs().div_euclid(b.abs()), a.abs().rem_euclid(b.abs()));
    let q = if (a < 0) == (b < 0) { q } else { -q };
    Some((q, if a < 0 { -r } else { r }))
}

/// Computes an operation bit by bit, with a table of the results for two bits.
fn bitwise(width: u32, a: u64, b: u64, table: [u64; 4]) -> u64 {
    let bit = |v: u64, n: u32| (unsigned(width, v) / (1 << n) % 2) as usize;
    (0..width)
        .map(|n| table[2 * bit(a, n) + bit(b, n)] * (1 << n))
        .sum()
}

/// Computes integer operations of any width up to 64 that is a power of two.
pub(crate) fn integer(op: BinOp, width: u32, a: u64, b: u64) -> Option<u64> {
    let (ua, ub) = (unsigned(width, a), unsigned(width, b));
    let (sa, sb) = (signed(width, a), signed(width, b));
    let power = 1i128 << ub.rem_euclid(width.into());
    let overflows = sb == -1 && sa == -(1 << (width - 1));
    Some(match op {
        BinOp::IAdd => wrapped(width, sa + sb),
        BinOp::ISub => wrapped(width, sa - sb),
        BinOp::IMul => wrapped(width, sa * sb),
        BinOp::UDiv => wrapped(width, divided(ua, ub)?.0),
        BinOp::URem => wrapped(width, divided(ua, ub)?.1),
        BinOp::SDiv | BinOp::SRem if overflows => return None,
        BinOp::SDiv => wrapped(width, divided(sa, sb)?.0),
        BinOp::SRem => wrapped(width, divided(sa, sb)?.1),
        BinOp::Shl => ((ua as u128).wrapping_mul(power as u128) % (1 << width)) as u64,
        BinOp::LShr => wrapped(width, ua.div_euclid(power)),
        BinOp::AShr => wrapped(width, sa.div_euclid(power)),
        BinOp::And => bitwise(width, a, b, [0, 0, 0, 1]),
        BinOp::Or => bitwise(width, a, b, [0, 1, 1, 1]),
        BinOp::Xor => bitwise(width, a, b, [0, 1, 1, 0]),
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return None,
    })
}

/// Computes operations of one integer.
pub(crate) fn integer_unary(op: UnOp, width: u32, a: u64) -> Option<u64> {
    match op {
        UnOp::INeg => Some(wrapped(width, -signed(width, a))),
        UnOp::Not => Some(bitwise(width, a, 0, [1, 1, 0, 0])),
        UnOp::FNeg => None,
    }
}

/// Computes intrinsics of one or two integers.
pub(crate) fn integer_intrinsic(op: Intrinsic, width: u32, a: u64, b: u64) -> Option<u64> {
    let (ua, ub) = (unsigned(width, a), unsigned(width, b));
    let (sa, sb) = (signed(width, a), signed(width, b));
    let bits: Vec<bool> = (0..width).map(|n| ua / (1 << n) % 2 == 1).collect();
    let modulus = 1i128 << width;
    Some(match op {
        Intrinsic::SAbs => wrapped(width, if sa < 0 { -sa } else { sa }),
        Intrinsic::SMin => wrapped(width, if sb < sa { sb } else { sa }),
        Intrinsic::SMax => wrapped(width, if sb > sa { sb } else { sa }),
        Intrinsic::UMin => wrapped(width, if ub < ua { ub } else { ua }),
        Intrinsic::UMax => wrapped(width, if ub > ua { ub } else { ua }),
        // The first factor is split into halves, because the product of two 64-bit numbers may exceed `i128`.
        Intrinsic::UMulHigh => {
            let half = 1i128 << (width / 2);
            let (high, low) = (ua / half, ua % half);
            let carried = low * ub / half + high * ub;
            wrapped(width, carried / half)
        }
        Intrinsic::SMulHigh => wrapped(width, (sa * sb).div_euclid(modulus)),
        Intrinsic::PopCount => bits.iter().filter(|&&b| b).count() as u64,
        Intrinsic::Clz => bits.iter().rev().take_while(|&&b| !b).count() as u64,
        Intrinsic::Ctz => bits.iter().take_while(|&&b| !b).count() as u64,
        Intrinsic::BitReverse => bits.iter().fold(0, |n, &b| 2 * n + u64::from(b)),
        _ => return None,
    })
}

/// Computes the dot product of packed bytes, and its sum with an accumulator, which saturates.
pub(crate) fn packed_dot(signs: DotSigns, a: u64, b: u64, accumulator: Option<u64>) -> u64 {
    let (is_signed, second) = match signs {
        DotSigns::Unsigned => (false, false),
        DotSigns::Signed => (true, true),
        DotSigns::Mixed => (true, false),
    };
    let number = |width, bits, is_signed| {
        if is_signed {
            signed(width, bits)
        } else {
            unsigned(width, bits)
        }
    };
    let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).take(4);
    let products = bytes.map(|(x, y)| number(8, x.into(), is_signed) * number(8, y.into(), second));
    let dot: i128 = products.sum();
    let Some(c) = accumulator else {
        return wrapped(32, dot);
    };
    let sum = dot + number(32, c, is_signed);
    let (least, most) = match is_signed {
        true => (-(1i128 << 31), (1i128 << 31) - 1),
        false => (0, (1i128 << 32) - 1),
    };
    wrapped(
        32,
        if sum < least {
            least
        } else if sum > most {
            most
        } else {
            sum
        },
    )
}

/// Computes comparisons of integers.
pub(crate) fn integer_compare(op: CmpOp, width: u32, a: u64, b: u64) -> Option<bool> {
    let signed_order = signed(width, a).cmp(&signed(width, b));
    let order = unsigned(width, a).cmp(&unsigned(width, b));
    Some(match op {
        CmpOp::IEq => order.is_eq(),
        CmpOp::INe => order.is_ne(),
        CmpOp::SLt => signed_order.is_lt(),
        CmpOp::SLe => signed_order.is_le(),
        CmpOp::SGt => signed_order.is_gt(),
        CmpOp::SGe => signed_order.is_ge(),
        CmpOp::ULt => order.is_lt(),
        CmpOp::ULe => order.is_le(),
        CmpOp::UGt => order.is_gt(),
        CmpOp::UGe => order.is_ge(),
        _ => return None,
    })
}

/// Returns the type of the exact numbers for a type of the IR.
pub(crate) fn kind(scalar: Scalar, is_signed: bool) -> Kind {
    match scalar {
        Scalar::F16 => Kind::Half,
        Scalar::F32 => Kind::Float,
        Scalar::F64 => Kind::Double,
        _ => Kind::Int {
            bytes: scalar.bytes() as usize,
            signed: is_signed,
        },
    }
}

/// Shifts m · 2^e to the exponent `to`. If nonzero bits are shifted out, the lowest bit is set. That bit is
/// below all the bits that rounding to 53 digits distinguishes, and only shows that the value is not exact.
fn aligned(m: u128, e: i32, to: i32) -> u128 {
    if m == 0 {
        return 0;
    }
    match to - e {
        up if up <= 0 => m << -up,
        down if down > 127 => 1,
        down => m >> down | u128::from(m & ((1 << down) - 1) != 0),
    }
}

/// Returns the sum of two exact numbers.
fn sum(a: (bool, u128, i32), b: (bool, u128, i32)) -> Real {
    let ((na, ma, ea), (nb, mb, eb)) = (a, b);
    let top = |m: u128, e: i32| if m == 0 { i32::MIN } else { e + m.ilog2() as i32 };
    let highest = top(ma, ea).max(top(mb, eb));
    if highest == i32::MIN {
        return Real::Finite {
            negative: na && nb,
            m: 0,
            e: 0,
        };
    }
    let e = highest - 120;
    let (x, y) = (aligned(ma, ea, e), aligned(mb, eb, e));
    let (negative, m) = match (na == nb, x >= y) {
        (true, _) => (na, x + y),
        (false, true) => (na && x != y, x - y),
        (false, false) => (nb, y - x),
    };
    Real::Finite { negative, m, e }
}

/// Computes floating-point operations; a NaN result is the encoding of [`Real::Nan`].
pub(crate) fn float(op: BinOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    let kind = kind(scalar, true);
    let b = match op {
        BinOp::FSub => b ^ 1 << (scalar.bits() - 1),
        _ => b,
    };
    let (x, y) = (decode(kind, a), decode(kind, b));
    let result = match (x, y) {
        (Real::Nan, _) | (_, Real::Nan) => Real::Nan,
        _ => match op {
            BinOp::FAdd | BinOp::FSub => added(x, y),
            BinOp::FMul => multiplied(x, y),
            BinOp::FDiv => quotient(x, y),
            _ => remainder(x, y),
        },
    };
    encode(kind, result, Mode::Rte)
}

fn sign_of(x: Real) -> bool {
    match x {
        Real::Nan => false,
        Real::Infinite { negative } | Real::Finite { negative, .. } => negative,
    }
}

fn added(x: Real, y: Real) -> Real {
    match (x, y) {
        (Real::Infinite { negative: a }, Real::Infinite { negative: b }) if a != b => Real::Nan,
        (Real::Infinite { .. }, _) => x,
        (_, Real::Infinite { .. }) => y,
        (
            Real::Finite {
                negative: na,
                m: ma,
                e: ea,
            },
            Real::Finite {
                negative: nb,
                m: mb,
                e: eb,
            },
        ) => sum((na, ma, ea), (nb, mb, eb)),
        _ => Real::Nan,
    }
}

fn multiplied(x: Real, y: Real) -> Real {
    let negative = sign_of(x) != sign_of(y);
    match (x, y) {
        (Real::Finite { m: a, e: ea, .. }, Real::Finite { m: b, e: eb, .. }) => Real::Finite {
            negative,
            m: a * b,
            e: ea + eb,
        },
        (Real::Finite { m: 0, .. }, _) | (_, Real::Finite { m: 0, .. }) => Real::Nan,
        _ => Real::Infinite { negative },
    }
}

fn quotient(x: Real, y: Real) -> Real {
    let negative = sign_of(x) != sign_of(y);
    match (x, y) {
        (Real::Infinite { .. }, Real::Infinite { .. })
        | (Real::Finite { m: 0, .. }, Real::Finite { m: 0, .. }) => Real::Nan,
        (Real::Infinite { .. }, _) | (_, Real::Finite { m: 0, .. }) => Real::Infinite { negative },
        (_, Real::Infinite { .. }) => Real::Finite { negative, m: 0, e: 0 },
        (Real::Finite { m: a, e: ea, .. }, Real::Finite { m: b, e: eb, .. }) => {
            let up = if a == 0 { 0 } else { 126 - a.ilog2() };
            let (q, rest) = ((a << up) / b, (a << up) % b);
            Real::Finite {
                negative,
                m: q << 1 | u128::from(rest != 0),
                e: ea - eb - up as i32 - 1,
            }
        }
        _ => Real::Nan,
    }
}

fn remainder(x: Real, y: Real) -> Real {
    match (x, y) {
        (Real::Infinite { .. }, _) | (_, Real::Finite { m: 0, .. }) => Real::Nan,
        (_, Real::Infinite { .. }) => x,
        (
            Real::Finite {
                negative,
                m: a,
                e: ea,
            },
            Real::Finite { m: b, e: eb, .. },
        ) => {
            let e = ea.min(eb);
            if ea < eb && (eb - ea > 60 || a < b << (eb - ea)) {
                return x;
            }
            // Both are in units of 2^e. The dividend may have thousands of bits, so it is doubled step by
            // step.
            let divisor = b << (eb - e);
            let mut rest = a % divisor;
            for _ in e..ea {
                rest = 2 * rest % divisor;
            }
            Real::Finite { negative, m: rest, e }
        }
        _ => Real::Nan,
    }
}

/// Computes a · b + c with one rounding, for numbers of up to 32 bits.
pub(crate) fn fused(scalar: Scalar, a: u64, b: u64, c: u64) -> u64 {
    let kind = kind(scalar, true);
    let [x, y, z] = [a, b, c].map(|v| decode(kind, v));
    let any_nan = [x, y, z].contains(&Real::Nan);
    let product = if any_nan { Real::Nan } else { multiplied(x, y) };
    let result = if product == Real::Nan {
        Real::Nan
    } else {
        added(product, z)
    };
    encode(kind, result, Mode::Rte)
}

/// Computes functions of one float.
pub(crate) fn float_intrinsic(op: Intrinsic, scalar: Scalar, a: u64) -> Option<u64> {
    let kind = kind(scalar, true);
    let sign = 1u64 << (scalar.bits() - 1);
    let x = decode(kind, a);
    if op == Intrinsic::FAbs {
        return Some(a % sign);
    }
    let result = match (op, x) {
        (Intrinsic::Sqrt, Real::Finite { m: 0, .. }) => x,
        (Intrinsic::Sqrt, Real::Finite { negative: true, .. } | Real::Infinite { negative: true }) => {
            Real::Nan
        }
        (Intrinsic::Sqrt, Real::Finite { m, e, .. }) => {
            let up = (126 - m.ilog2() as i32) & !1 | (e & 1);
            let up = if up > 126 - m.ilog2() as i32 { up - 2 } else { up };
            let m = m << up;
            let root = m.isqrt();
            Real::Finite {
                negative: false,
                m: root << 1 | u128::from(root * root != m),
                e: (e - up) / 2 - 1,
            }
        }
        (
            Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Trunc | Intrinsic::RoundEven,
            Real::Finite { negative, m, e },
        ) if e < 0 => {
            let mode = match op {
                Intrinsic::Floor => Mode::Rtn,
                Intrinsic::Ceil => Mode::Rtp,
                Intrinsic::Trunc => Mode::Rtz,
                _ => Mode::Rte,
            };
            let whole = crate::exact::to_integer(negative, m, e, mode);
            Real::Finite {
                negative,
                m: whole.unsigned_abs(),
                e: 0,
            }
        }
        (
            Intrinsic::Sqrt | Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Trunc | Intrinsic::RoundEven,
            _,
        ) => x,
        _ => return None,
    };
    Some(encode(kind, result, Mode::Rte))
}

/// Compares two numbers; `None` if one of them is NaN.
pub(crate) fn order(scalar: Scalar, a: u64, b: u64) -> Option<std::cmp::Ordering> {
    let kind = kind(scalar, true);
    if [a, b].iter().any(|&v| decode(kind, v) == Real::Nan) {
        return None;
    }
    // The bits are a sign and a magnitude: magnitudes have the order of the numbers, and both zeros are
    // equal.
    let sign = 1u64 << (scalar.bits() - 1);
    let key = |v: u64| {
        let magnitude = i128::from(v % sign);
        if v >= sign { -magnitude } else { magnitude }
    };
    Some(key(a).cmp(&key(b)))
}
