//! Upper bounds of unsigned integers. No pass, what passes want to know.

use crate::intrinsic::Intrinsic;
use crate::ir::eval::truncate;
use crate::ir::{BinOp, CastOp, Function, Op, Scalar, Value};

/// Work-items of a group in one dimension are fewer than this on every device that there is; so is their number.
const MAX_GROUP: u64 = 1 << 20;

/// Operations that one question looks at.
const MAX_OPERATIONS: usize = 16;

/// The largest value that a scalar integer can have, taken as unsigned. At worst what its type allows.
pub fn upper_bound(func: &Function, v: Value) -> u64 {
    let mut fuel = MAX_OPERATIONS;
    bound(func, v, &mut fuel)
}

/// Whether an integer is not negative, taken as signed.
pub fn is_nonnegative(func: &Function, v: Value) -> bool {
    let ty = func.ty(v);
    ty.scalar.is_int() && !ty.is_vector() && upper_bound(func, v) < 1 << (ty.scalar.bits() - 1)
}

/// Log2 of a power of two that a scalar integer is a multiple of.
pub fn trailing_zeros(func: &Function, v: Value) -> u32 {
    let mut fuel = MAX_OPERATIONS;
    zeros(func, v, &mut fuel)
}

/// Recursion ends when the fuel does.
fn zeros(func: &Function, v: Value, fuel: &mut usize) -> u32 {
    if let Some(bits) = func.as_bits(v) {
        return bits.trailing_zeros();
    }
    let (Some(inst), Some(left)) = (func.def_inst(v), fuel.checked_sub(1)) else {
        return 0;
    };
    *fuel = left;
    let data = &func.insts[inst];
    let mut of = |n: usize| zeros(func, data.args[n], fuel);
    match &data.op {
        Op::Binary(BinOp::IMul) => of(0) + of(1),
        Op::Binary(BinOp::Shl) => {
            let count = func.as_bits(data.args[1]).map_or(0, |c| c % 64);
            of(0) + count as u32
        }
        Op::Binary(BinOp::IAdd | BinOp::ISub | BinOp::Or | BinOp::Xor) => of(0).min(of(1)),
        Op::Binary(BinOp::And) => of(0).max(of(1)),
        Op::Cast(CastOp::ZExt | CastOp::SExt | CastOp::Trunc)
            if func.ty(data.args[0]).scalar != Scalar::Bool =>
        {
            of(0)
        }
        _ => 0,
    }
}

/// All bits up to the highest one of `n`.
fn filled(n: u64) -> u64 {
    u64::MAX.checked_shr(n.leading_zeros()).unwrap_or(0)
}

/// Recursion ends when the fuel does.
fn bound(func: &Function, v: Value, fuel: &mut usize) -> u64 {
    let ty = func.ty(v);
    let max = truncate(ty.scalar, u64::MAX);
    if ty.is_vector() || !(ty.scalar.is_int() || ty.scalar == Scalar::Bool) {
        return u64::MAX;
    }
    if let Some(bits) = func.as_bits(v) {
        return bits;
    }
    let Some(inst) = func.def_inst(v) else {
        return max;
    };
    let Some(left) = fuel.checked_sub(1) else {
        return max;
    };
    *fuel = left;
    let data = &func.insts[inst];
    let mut of = |n: usize| bound(func, data.args[n], fuel);
    let constant = |n: usize| func.as_bits(data.args[n]);
    let exact = match &data.op {
        Op::Cast(CastOp::ZExt | CastOp::Trunc) => Some(of(0)),
        Op::Cast(CastOp::SExt) if func.ty(data.args[0]).scalar != Scalar::Bool => {
            let narrow = func.ty(data.args[0]).scalar;
            Some(of(0)).filter(|&n| n < 1 << (narrow.bits() - 1))
        }
        Op::Select => Some(of(1).max(of(2))),
        Op::Binary(op) => match op {
            BinOp::IAdd => of(0).checked_add(of(1)),
            BinOp::IMul => of(0).checked_mul(of(1)),
            BinOp::And => Some(of(0).min(of(1))),
            BinOp::Or | BinOp::Xor => Some(filled(of(0) | of(1))),
            BinOp::LShr => constant(1).filter(|&c| c < 64).map(|c| of(0) >> c),
            BinOp::Shl => {
                let count = constant(1).filter(|&c| c < u64::from(ty.scalar.bits()));
                count.and_then(|c| of(0).checked_mul(1 << c))
            }
            BinOp::UDiv => constant(1).filter(|&c| c > 0).map(|c| of(0) / c),
            BinOp::URem => constant(1).filter(|&c| c > 0).map(|c| of(0).min(c - 1)),
            BinOp::ISub
            | BinOp::SDiv
            | BinOp::SRem
            | BinOp::AShr
            | BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem => None,
        },
        Op::Intrinsic(Intrinsic::LocalId | Intrinsic::LocalSize) => Some(MAX_GROUP),
        Op::Intrinsic(Intrinsic::PopCount | Intrinsic::Clz | Intrinsic::Ctz) => Some(64),
        Op::Intrinsic(Intrinsic::UMin) => Some(of(0).min(of(1))),
        Op::Extract(_) => func.def_inst(data.args[0]).and_then(|i| match func.insts[i].op {
            Op::Intrinsic(Intrinsic::LocalInvocationId | Intrinsic::WorkgroupSize) => Some(MAX_GROUP),
            _ => None,
        }),
        _ => None,
    };
    // What wraps around may be anything.
    exact.filter(|&n| n <= max).unwrap_or(max)
}
