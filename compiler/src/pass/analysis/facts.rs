//! Facts about the bits and the range of scalar integers.
//!
//! [`Facts`] is the abstract value; [`binary`], [`unary`], [`cast`] and [`intrinsic`] are the transfer
//! functions of the operations of [`crate::ir::eval`], for integers of any width that is a power of two.
//! [`facts`] applies them along the use-def chain of a value. Every fact holds for every execution in which
//! the value is defined; where an operation leaves its result undefined (division by zero), there is no fact
//! about the result. `tests/oracle/facts.rs` compares the facts with `eval`.

use crate::intrinsic::{DotSigns, Intrinsic};
use crate::ir::{BinOp, CastOp, Const, Function, Op, Scalar, UnOp, Value};

/// An upper bound of the number of work-items of a work-group on every device, in each dimension and in all.
const MAX_GROUP: u64 = 1 << 20;

/// The most operations that one query looks at.
const MAX_OPERATIONS: usize = 16;

/// What is known of an integer of a certain width: the bits that are zero, the bits that are one, and the
/// least and the greatest value, taken as unsigned.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    width: u32,
    zeros: u64,
    ones: u64,
    min: u64,
    max: u64,
}

/// Returns a mask of the lowest `bits` bits.
fn low(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0)
}

impl Facts {
    /// Returns the facts about an integer of this width of which nothing is known.
    pub fn unknown(width: u32) -> Facts {
        Facts {
            width,
            zeros: 0,
            ones: 0,
            min: 0,
            max: low(width),
        }
    }

    /// Returns the facts about a constant.
    pub fn constant(width: u32, bits: u64) -> Facts {
        let bits = bits & low(width);
        Facts {
            width,
            zeros: !bits & low(width),
            ones: bits,
            min: bits,
            max: bits,
        }
    }

    /// Returns the facts about an unsigned number from `min` to `max`, both included.
    pub fn between(width: u32, min: u64, max: u64) -> Facts {
        Facts::of(width, 0, 0, min, max)
    }

    /// Returns the facts about a multiple of two to the power of `power`.
    pub fn multiple(width: u32, power: u32) -> Facts {
        Facts::of(width, low(power) & low(width), 0, 0, low(width))
    }

    /// Returns the facts about a number in which the bits of `zeros` are zero and those of `ones` are one.
    pub fn bits(width: u32, zeros: u64, ones: u64) -> Facts {
        Facts::of(width, zeros, ones, 0, low(width))
    }

    /// Combines facts about bits and range, and derives from each what it says about the other. Contradictory
    /// facts mean that the value is never computed; then the result claims nothing.
    fn of(width: u32, zeros: u64, ones: u64, min: u64, max: u64) -> Facts {
        let (mut zeros, mut ones) = (zeros & low(width), ones & low(width));
        let min = min.max(ones);
        let max = max.min(low(width) & !zeros);
        if min > max || zeros & ones != 0 {
            return Facts::unknown(width);
        }
        // The bits above the highest one in which the bounds differ are those of every number between them.
        let common = low(width) & !low(64 - (min ^ max).leading_zeros());
        zeros |= common & !min;
        ones |= common & min;
        if zeros & ones != 0 {
            return Facts::unknown(width);
        }
        Facts {
            width,
            zeros,
            ones,
            min: min.max(ones),
            max: max.min(low(width) & !zeros),
        }
    }

    /// Returns the facts that hold of a value that is either the one or the other.
    fn join(self, other: Facts) -> Facts {
        let (zeros, ones) = (self.zeros & other.zeros, self.ones & other.ones);
        Facts::of(
            self.width,
            zeros,
            ones,
            self.min.min(other.min),
            self.max.max(other.max),
        )
    }

    /// Returns the greatest number that the value can be, taken as unsigned.
    pub fn max(self) -> u64 {
        self.max
    }

    /// Returns the least number that the value can be, taken as unsigned.
    pub fn min(self) -> u64 {
        self.min
    }

    /// Returns the bits that may be set.
    pub fn possible_ones(self) -> u64 {
        !self.zeros & low(self.width)
    }

    /// Returns whether the value may be this number.
    pub fn allows(self, bits: u64) -> bool {
        bits & self.zeros == 0 && !bits & self.ones == 0 && (self.min..=self.max).contains(&bits)
    }

    /// Returns the number if only one is possible.
    pub fn as_constant(self) -> Option<u64> {
        (self.min == self.max).then_some(self.min)
    }

    /// Returns whether the value, taken as signed, is certainly not negative.
    pub fn is_nonnegative(self) -> bool {
        self.max <= low(self.width - 1)
    }

    /// Returns whether the value, taken as signed, is certainly negative.
    fn is_negative(self) -> bool {
        self.min > low(self.width - 1)
    }

    /// Returns the log2 of a power of two of which the value is a multiple; at most the width.
    pub fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones().min(self.width)
    }

    /// Returns the facts about the value as a shift count: modulo the width of the shifted operand (OpenCL C
    /// 1.2 6.3.j).
    fn count(self) -> Facts {
        let last = u64::from(self.width - 1);
        binary(BinOp::And, self, Facts::constant(self.width, last))
    }

    /// Returns the known zeros and ones of the sum of two values and a constant carry.
    fn plus(self, other: Facts, carry: u64) -> (u64, u64) {
        // `greatest` and `least` are the sums of the greatest and of the least operands that the bits allow.
        // A bit of the sum is known if the bits of both operands and the carry into it are.
        let greatest = (!self.zeros).wrapping_add(!other.zeros).wrapping_add(carry);
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let no_carry = !(greatest ^ self.zeros ^ other.zeros);
        let has_carry = least ^ self.ones ^ other.ones;
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & (no_carry | has_carry);
        (!greatest & known, least & known)
    }

    /// Returns the facts about the lower bits, in a narrower type.
    fn truncated(self, width: u32) -> Facts {
        // If the upper bits of both bounds are the same, the lower bits keep the order.
        let kept = (self.min & !low(width) == self.max & !low(width))
            .then(|| (self.min & low(width), self.max & low(width)));
        let (min, max) = kept.unwrap_or((0, low(width)));
        Facts::of(width, self.zeros, self.ones, min, max)
    }

    fn sign_extended(self, width: u32) -> Facts {
        let high = low(width) & !low(self.width);
        if self.is_nonnegative() {
            return Facts::of(width, self.zeros | high, self.ones, self.min, self.max);
        }
        if self.is_negative() {
            return Facts::of(
                width,
                self.zeros,
                self.ones | high,
                self.min | high,
                self.max | high,
            );
        }
        // The unknown sign bit leaves the upper bits unknown.
        Facts::bits(width, self.zeros, self.ones)
    }
}

/// Returns the facts about the result of a binary operation on two operands of one width. Nothing is known of
/// the results of floating-point operations.
pub fn binary(op: BinOp, a: Facts, b: Facts) -> Facts {
    let width = a.width;
    let all = low(width);
    let wide = |n: u64| u128::from(n);
    match op {
        BinOp::IAdd => {
            let (zeros, ones) = a.plus(b, 0);
            let (min, max) = (wide(a.min) + wide(b.min), wide(a.max) + wide(b.max));
            let (min, max) = bounds(width, min, max);
            Facts::of(width, zeros, ones, min, max)
        }
        BinOp::ISub => {
            let complement = Facts {
                zeros: b.ones | !all,
                ones: b.zeros,
                ..b
            };
            let (zeros, ones) = a.plus(complement, 1);
            let modulus = wide(all) + 1;
            let (min, max) = (
                wide(a.min) + modulus - wide(b.max),
                wide(a.max) + modulus - wide(b.min),
            );
            let (min, max) = bounds(width, min, max);
            Facts::of(width, zeros, ones, min, max)
        }
        BinOp::IMul => {
            let (min, max) = (wide(a.min) * wide(b.min), wide(a.max) * wide(b.max));
            let (min, max) = bounds(width, min, max);
            let zeros = low(a.trailing_zeros() + b.trailing_zeros());
            Facts::of(width, zeros, 0, min, max)
        }
        BinOp::And => Facts::of(width, a.zeros | b.zeros, a.ones & b.ones, 0, a.max.min(b.max)),
        BinOp::Or => Facts::of(width, a.zeros & b.zeros, a.ones | b.ones, a.min.max(b.min), all),
        BinOp::Xor => Facts::bits(
            width,
            a.zeros & b.zeros | a.ones & b.ones,
            a.zeros & b.ones | a.ones & b.zeros,
        ),
        BinOp::Shl => {
            let count = b.count();
            let (least, most) = (count.min, count.max);
            let (min, max) = bounds(width, wide(a.min) << least, wide(a.max) << most);
            let (zeros, ones) = match count.as_constant() {
                Some(n) => (a.zeros << n | low(n as u32), a.ones << n),
                None => (low(a.trailing_zeros() + least as u32), 0),
            };
            Facts::of(width, zeros, ones, min, max)
        }
        BinOp::LShr => {
            let count = b.count();
            let (zeros, ones) = match count.as_constant() {
                Some(n) => ((a.zeros | !all) >> n | all & !(all >> n), a.ones >> n),
                None => (0, 0),
            };
            Facts::of(width, zeros, ones, a.min >> count.max, a.max >> count.min)
        }
        BinOp::AShr => arithmetic_shift(a, b),
        // A division by zero has an undefined result.
        BinOp::UDiv if b.min > 0 => Facts::between(width, a.min / b.max, a.max / b.min),
        BinOp::URem if b.min > 0 => {
            if a.max < b.min {
                return a;
            }
            if let Some(n) = b.as_constant()
                && a.min / n == a.max / n
            {
                return Facts::between(width, a.min % n, a.max % n);
            }
            // If the divisor is a multiple of a power of two, the lower bits of the dividend stay.
            let kept = low(b.trailing_zeros());
            Facts::of(width, a.zeros & kept, a.ones & kept, 0, a.max.min(b.max - 1))
        }
        BinOp::SDiv if a.is_nonnegative() && b.is_nonnegative() => binary(BinOp::UDiv, a, b),
        BinOp::SRem if a.is_nonnegative() && b.is_nonnegative() => binary(BinOp::URem, a, b),
        BinOp::SDiv
        | BinOp::UDiv
        | BinOp::SRem
        | BinOp::URem
        | BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem => Facts::unknown(width),
    }
}

/// Returns the facts about `a >> b`, which copies the sign.
fn arithmetic_shift(a: Facts, b: Facts) -> Facts {
    let width = a.width;
    let all = low(width);
    let count = b.count();
    let wide = a.sign_extended(64);
    let shifted = |bits: u64, n: u64| (bits as i64 >> n) as u64;
    let (zeros, ones) = match count.as_constant() {
        Some(n) => (shifted(wide.zeros, n), shifted(wide.ones, n)),
        None => (0, 0),
    };
    // A right shift moves nonnegative numbers down towards 0 and negative ones up towards −1.
    let (min, max) = if a.is_nonnegative() {
        (a.min >> count.max, a.max >> count.min)
    } else if a.is_negative() {
        (
            shifted(wide.min, count.min) & all,
            shifted(wide.max, count.max) & all,
        )
    } else {
        (0, all)
    };
    Facts::of(width, zeros, ones, min, max)
}

/// Returns the bounds of a number modulo two to the power of the width: the reduced bounds if both wrap
/// around equally often, and the whole range otherwise.
fn bounds(width: u32, min: u128, max: u128) -> (u64, u64) {
    if min >> width == max >> width {
        (min as u64 & low(width), max as u64 & low(width))
    } else {
        (0, low(width))
    }
}

/// Returns the facts about the result of a unary operation.
pub fn unary(op: UnOp, a: Facts) -> Facts {
    let all = low(a.width);
    match op {
        UnOp::Not => Facts::of(a.width, a.ones, a.zeros, all - a.max, all - a.min),
        UnOp::INeg => binary(BinOp::ISub, Facts::constant(a.width, 0), a),
        UnOp::FNeg => Facts::unknown(a.width),
    }
}

/// Returns the facts about the result of a conversion to an integer of a width.
pub fn cast(op: CastOp, a: Facts, width: u32) -> Facts {
    match op {
        CastOp::ZExt => {
            let high = low(width) & !low(a.width);
            Facts::of(width, a.zeros | high, a.ones, a.min, a.max)
        }
        CastOp::SExt => a.sign_extended(width),
        CastOp::Trunc => a.truncated(width),
        CastOp::Bitcast | CastOp::PtrToInt | CastOp::IntToPtr if a.width == width => a,
        // A pointer to the generic address space has its tag in the upper bits.
        CastOp::PtrCast if a.width == width => Facts::multiple(width, a.trailing_zeros()),
        CastOp::FConvert
        | CastOp::FToS
        | CastOp::FToU
        | CastOp::SToF
        | CastOp::UToF
        | CastOp::Bitcast
        | CastOp::PtrToInt
        | CastOp::IntToPtr
        | CastOp::PtrCast => Facts::unknown(width),
    }
}

/// Returns the facts about the result of an intrinsic that [`crate::ir::eval::intrinsic`] computes from one
/// or two integers of the same width.
pub fn intrinsic(op: Intrinsic, a: Facts, b: Facts) -> Facts {
    let width = a.width;
    let zeros_before = |n: u64| u64::from(n.leading_zeros() + width - 64);
    // With the sign bit inverted, the unsigned order is the signed one.
    let turned = |f: Facts| {
        let sign = Facts::constant(width, 1 << (width - 1));
        let turned = binary(BinOp::Xor, f, sign);
        match f.is_nonnegative() || f.is_negative() {
            true => Facts::of(
                width,
                turned.zeros,
                turned.ones,
                f.min ^ sign.min,
                f.max ^ sign.min,
            ),
            false => turned,
        }
    };
    let either = |min: u64, max: u64, f: Facts, g: Facts| {
        let both = f.join(g);
        Facts::of(width, both.zeros, both.ones, min, max)
    };
    let least = |f: Facts, g: Facts| either(f.min.min(g.min), f.max.min(g.max), f, g);
    let most = |f: Facts, g: Facts| either(f.min.max(g.min), f.max.max(g.max), f, g);
    match op {
        Intrinsic::UMin => least(a, b),
        Intrinsic::UMax => most(a, b),
        Intrinsic::SMin => turned(least(turned(a), turned(b))),
        Intrinsic::SMax => turned(most(turned(a), turned(b))),
        Intrinsic::SAbs if a.is_nonnegative() => a,
        Intrinsic::SAbs if a.is_negative() => unary(UnOp::INeg, a),
        // The absolute value of the most negative number is that number.
        Intrinsic::SAbs => Facts::of(width, low(a.trailing_zeros()), 0, 0, 1 << (width - 1)),
        Intrinsic::UMulHigh => {
            let high = |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> width) as u64;
            Facts::between(width, high(a.min, b.min), high(a.max, b.max))
        }
        Intrinsic::PopCount => {
            let possible = low(width) & !a.zeros;
            let (min, max) = (a.ones.count_ones(), possible.count_ones());
            Facts::between(width, min.into(), max.into())
        }
        Intrinsic::Clz => Facts::between(width, zeros_before(a.max), zeros_before(a.min)),
        Intrinsic::Ctz => {
            let last = a.ones.trailing_zeros().min(width);
            Facts::between(width, a.trailing_zeros().into(), last.into())
        }
        Intrinsic::BitReverse => {
            let turned = |bits: u64| bits.reverse_bits() >> (64 - width);
            Facts::bits(width, turned(a.zeros), turned(a.ones))
        }
        // Four products of bytes.
        Intrinsic::PackedDot(DotSigns::Unsigned) => Facts::between(width, 0, 4 * 255 * 255),
        _ => Facts::unknown(width),
    }
}

/// Returns what is known of a scalar integer or bool. Of a value of another type nothing is known.
pub fn facts(func: &Function, v: Value) -> Facts {
    let mut fuel = MAX_OPERATIONS;
    follow(func, v, &mut fuel)
}

/// Follows the definition of a value. The recursion ends when the fuel does.
fn follow(func: &Function, v: Value, fuel: &mut usize) -> Facts {
    let ty = func.ty(v);
    let width = ty.scalar.bits().max(1);
    let unknown = Facts::unknown(width);
    if ty.is_vector() || !(ty.scalar.is_int() || ty.scalar == Scalar::Bool) {
        return unknown;
    }
    if let Some(bits) = func.as_bits(v) {
        return Facts::constant(width, bits);
    }
    let (Some(inst), Some(left)) = (func.def_inst(v), fuel.checked_sub(1)) else {
        return unknown;
    };
    *fuel = left;
    let data = &func.insts[inst];
    let mut of = |n: usize| follow(func, data.args[n], fuel);
    let group = Facts::between(width, 0, MAX_GROUP.min(low(width)));
    match &data.op {
        Op::Binary(op) => {
            let a = of(0);
            binary(*op, a, of(1))
        }
        Op::Unary(op) => unary(*op, of(0)),
        Op::Cast(op) => cast(*op, of(0), width),
        Op::Select => {
            let a = of(1);
            a.join(of(2))
        }
        Op::Intrinsic(
            Intrinsic::LocalId
            | Intrinsic::LocalSize
            | Intrinsic::EnqueuedLocalSize
            | Intrinsic::SubgroupSize
            | Intrinsic::NumSubgroups
            | Intrinsic::SubgroupId
            | Intrinsic::SubgroupLocalId,
        ) => group,
        Op::Intrinsic(i) => match data.args.len() {
            1 if func.ty(data.args[0]) == ty => {
                let a = of(0);
                intrinsic(*i, a, a)
            }
            2 if func.ty(data.args[0]) == ty && func.ty(data.args[1]) == ty => {
                let a = of(0);
                intrinsic(*i, a, of(1))
            }
            _ => unknown,
        },
        Op::Extract(lane) => follow_lane(func, data.args[0], *lane, fuel),
        _ => unknown,
    }
}

/// Follows the definition of one lane of a vector, as [`follow`] does for a scalar.
fn follow_lane(func: &Function, vector: Value, lane: u8, fuel: &mut usize) -> Facts {
    let ty = func.ty(vector);
    let width = ty.scalar.bits().max(1);
    let unknown = Facts::unknown(width);
    if let Some(Const::Bits(bits)) = func.as_const(vector)
        && let Some(&bits) = bits.get(usize::from(lane))
    {
        return Facts::constant(width, bits);
    }
    let (Some(inst), Some(left)) = (func.def_inst(vector), fuel.checked_sub(1)) else {
        return unknown;
    };
    *fuel = left;
    let data = &func.insts[inst];
    let has_such_lanes = |v: Value| func.ty(v).lanes == ty.lanes && !func.ty(v).scalar.is_float();
    match data.op {
        Op::Intrinsic(Intrinsic::LocalInvocationId | Intrinsic::WorkgroupSize) => {
            Facts::between(width, 0, MAX_GROUP.min(low(width)))
        }
        Op::Cast(op) if has_such_lanes(data.args[0]) => {
            cast(op, follow_lane(func, data.args[0], lane, fuel), width)
        }
        Op::Construct if data.args.len() == usize::from(ty.lanes) => {
            follow(func, data.args[usize::from(lane)], fuel)
        }
        _ => unknown,
    }
}
