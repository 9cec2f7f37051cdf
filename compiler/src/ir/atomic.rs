//! Atomic operations that no device has: those on floats, and those on memory of one work-item.

use super::build::Builder;
use super::inst::{Access, BinOp, CastOp, CmpOp};
use super::{Op, Scalar, Ty, Value};
use crate::intrinsic::{AtomicOp, FloatAtomic, Intrinsic};

/// Emits a relaxed atomic operation, as a loop of comparisons and exchanges of bits, on the f32 or f64 that a pointer leads
/// to. Returns the old value.
pub fn float_atomic(b: &mut Builder<'_>, op: FloatAtomic, pointer: Value, operand: Value) -> Value {
    let ty = b.func.ty(operand);
    let word = ty.with_scalar(Scalar::int(ty.scalar.bits()));
    let atomic = |op| Op::Intrinsic(Intrinsic::Atomic(op));
    let first = b.value(atomic(AtomicOp::Load), [pointer], word);
    let (attempts, body) = b.loop_(vec![first], &[word]);
    let old = b.func.regions[body].args[0];
    b.enter(body);
    let value = b.cast(CastOp::Bitcast, old, ty);
    let new = match op {
        FloatAtomic::Add => b.binary(BinOp::FAdd, value, operand),
        FloatAtomic::Sub => b.binary(BinOp::FSub, value, operand),
        FloatAtomic::Min => b.value(Op::Intrinsic(Intrinsic::FMin), [value, operand], ty),
        FloatAtomic::Max => b.value(Op::Intrinsic(Intrinsic::FMax), [value, operand], ty),
    };
    let new = b.cast(CastOp::Bitcast, new, word);
    let seen = b.value(atomic(AtomicOp::CmpXchg), [pointer, old, new], word);
    let done = b.compare(CmpOp::IEq, seen, old);
    let (_, then, otherwise) = b.if_(done, &[]);
    b.enter(then);
    b.exit(attempts, vec![old]);
    b.leave();
    b.enter(otherwise);
    b.repeat(attempts, vec![seen]);
    b.leave();
    b.unreachable();
    b.leave();
    let old = b.results(attempts)[0];
    b.cast(CastOp::Bitcast, old, ty)
}

/// Emits an atomic operation on memory that no other work-item accesses: private memory. Returns its result, of type
/// `result`.
pub fn one_item_atomic(
    b: &mut Builder<'_>,
    op: AtomicOp,
    ptr: Value,
    operands: &[Value],
    result: Option<Ty>,
) -> Option<Value> {
    let ty = operands.first().map(|&v| b.func.ty(v)).or(result)?;
    let access = Access {
        align: ty.bytes(),
        volatile: false,
    };
    if op == AtomicOp::Store {
        b.store(ptr, operands[0], access);
        return None;
    }
    let old = b.load(ptr, ty, access);
    let binary = |b: &mut Builder<'_>, op| Some(b.binary(op, old, operands[0]));
    let best = |b: &mut Builder<'_>, op| b.intrinsic(op, vec![old, operands[0]], Some(ty));
    let new = match op {
        AtomicOp::Load | AtomicOp::Store => None,
        AtomicOp::Add => binary(b, BinOp::IAdd),
        AtomicOp::Sub => binary(b, BinOp::ISub),
        AtomicOp::And => binary(b, BinOp::And),
        AtomicOp::Or => binary(b, BinOp::Or),
        AtomicOp::Xor => binary(b, BinOp::Xor),
        AtomicOp::Xchg => Some(operands[0]),
        AtomicOp::SMin => best(b, Intrinsic::SMin),
        AtomicOp::SMax => best(b, Intrinsic::SMax),
        AtomicOp::UMin => best(b, Intrinsic::UMin),
        AtomicOp::UMax => best(b, Intrinsic::UMax),
        AtomicOp::CmpXchg => {
            let equal = b.compare(CmpOp::IEq, old, operands[0]);
            Some(b.select(equal, operands[1], old))
        }
    };
    if let Some(new) = new {
        b.store(ptr, new, access);
    }
    Some(old)
}
