//! The operations whose operands or results `hide_operands` hides, and why.

use super::bounds::{
    half_clamp, nan_bounds, opposite_comparand, repeated_clamp, reversed_saturation, shared_halves,
};
use super::conversions::{is_rounded, may_be_rounded};
use super::search::{Step, finds};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, Function, Inst, InstData, Op, Scalar, UnOp, Value};
use crate::pass::analysis::facts::facts;
use crate::target::Target;

/// Returns whether a target has a fault that the pass avoids.
pub(in crate::pass) fn is_for(target: &Target) -> bool {
    let q = target.quirks;
    q.zero_operands
        || q.chosen_zeros
        || q.chosen_negative_zeros
        || q.cut_conversions
        || q.negative_bounds
        || q.half_clamps
        || q.shared_registers
        || q.signed_comparisons
        || q.nan_bounds
        || q.constant_conversions
        || q.converted_truths
        || q.typed_atomics
        || q.narrow_integers
        || q.nonnegative_abs
        || q.bit_products
        || q.masked_signs
        || q.shared_quotients
        || q.repeated_clamps
        || q.byte_swaps
        || q.shifts_by_31
        || q.unmasked_loads
        || q.miscounted_loops
        || q.joined_conversions
        || q.joined_halves
}

/// Returns the operands that are hidden because of an instruction: the instructions that use them, and their
/// indices there.
pub(super) fn operands(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let mut all = operands_by_kind(func, inst, target);
    all.extend(shared_halves(func, inst, target));
    all.extend(nan_bounds(func, inst, target));
    all.extend(opposite_comparand(func, inst, target));
    if func.insts[inst].op == Op::Select && target.quirks.repeated_clamps {
        all.extend(reversed_saturation(func, inst));
    }
    let mut once = Vec::new();
    for operand in all {
        if !once.contains(&operand) {
            once.push(operand);
        }
    }
    once
}

/// Returns the operands that are hidden because of what the instruction does.
fn operands_by_kind(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let q = target.quirks;
    let data = &func.insts[inst];
    let all = || 0..data.args.len();
    let here = |operands: &mut dyn Iterator<Item = usize>| operands.map(|n| (inst, n)).collect();
    match data.op {
        Op::Cast(CastOp::SToF | CastOp::UToF) if q.converted_truths && is_truth(func, data.args[0]) => {
            here(&mut all())
        }
        Op::Cast(CastOp::Bitcast)
            if q.converted_truths && is_float(func, data.results[0]) && is_truth(func, data.args[0]) =>
        {
            here(&mut all())
        }
        Op::Cast(CastOp::UToF) | Op::Binary(BinOp::UDiv | BinOp::URem) if q.narrow_integers => {
            here(&mut all().filter(|&n| may_be_sign_extended(func, data.args[n])))
        }
        Op::Intrinsic(Intrinsic::PopCount) if q.narrow_integers => here(
            &mut all().filter(|&n| func.ty(data.args[n]).is_vector() || may_be_narrow(func, data.args[n], 8)),
        ),
        Op::Binary(BinOp::IMul) if q.bit_products => {
            here(&mut all().filter(|&n| is_factor_of_one_bit(func, inst, n)))
        }
        Op::Binary(BinOp::And | BinOp::Or | BinOp::Xor) if q.masked_signs => {
            here(&mut all().filter(|&n| is_double_of_masked_sign(func, inst, n)))
        }
        Op::Select | Op::Intrinsic(Intrinsic::SMax) if q.nonnegative_abs => {
            here(&mut all().filter(|&n| negates_another_operand(func, inst, n)))
        }
        Op::Intrinsic(Intrinsic::FMin) if q.repeated_clamps || q.half_clamps => {
            let repeated = repeated_clamp(func, inst).filter(|_| q.repeated_clamps);
            let half = half_clamp(func, inst).filter(|_| q.half_clamps);
            repeated.into_iter().chain(half).collect()
        }
        Op::Intrinsic(Intrinsic::FMax) if q.repeated_clamps => {
            reversed_saturation(func, inst).into_iter().collect()
        }
        Op::Cast(CastOp::FConvert | CastOp::FToS | CastOp::FToU) if q.joined_conversions => {
            here(&mut all().filter(|&n| may_be_rounded(func, data.args[n])))
        }
        Op::Cast(CastOp::FConvert) if q.joined_halves => {
            let is_half = |n: &usize| func.ty(data.args[*n]).scalar == Scalar::F16;
            let is_hidden = |n: &usize| is_half(n) && may_be_rounded(func, data.args[*n]);
            here(&mut all().filter(is_hidden))
        }
        Op::Intrinsic(_) | Op::Compare(_) if q.joined_conversions => {
            here(&mut all().filter(|&n| is_rounded(func, data.args[n])))
        }
        Op::AtomicOn(..) if q.typed_atomics => {
            here(&mut (1..data.args.len()).filter(|&n| !is_computed_as_integer(func, data.args[n])))
        }
        _ => Vec::new(),
    }
}

/// Returns whether the result of an instruction is hidden: whether it is the quotient or the remainder of
/// 64-bit integers, for a driver that confuses such results with each other.
pub(super) fn hides_result(func: &Function, inst: Inst, target: &Target) -> bool {
    let data = &func.insts[inst];
    let is_division = matches!(
        data.op,
        Op::Binary(BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
    );
    target.quirks.shared_quotients
        && is_division
        && data.results.iter().all(|&r| func.ty(r).scalar == Scalar::I64)
}

/// Returns whether an integer may be the sign extension of a narrower one, and negative. For most operations
/// that do not extend a sign the answer is `false`, although their result may happen to be small.
fn may_be_sign_extended(func: &Function, value: Value) -> bool {
    let def = func.def_inst(value).map(|def| &func.insts[def]);
    if let Some(extension) = def.filter(|data| data.op == Op::Cast(CastOp::ZExt)) {
        // The driver converts the narrower integer.
        return may_be_sign_extended(func, extension.args[0]);
    }
    // Of a lane, the driver may convert the lane of the narrower vector.
    let is_lane = def.is_some_and(|data| matches!(data.op, Op::Extract(_)));
    if !is_lane && facts(func, value).is_nonnegative() || func.as_const(value).is_some() {
        return false;
    }
    let extends_no_sign = |op: &Op| {
        matches!(
            op,
            Op::LoadFrom(..) | Op::Binary(BinOp::IMul | BinOp::Shl | BinOp::LShr)
        )
    };
    !def.is_some_and(|data| extends_no_sign(&data.op))
}

/// Returns whether the driver may find out that at most the lowest 16 bits of a scalar integer, or of a half of a 64-bit integer, can be
/// set. Values are followed further than [`facts`] does, through vectors and to the beginning of branches and loops. `depth` is the
/// greatest number of operations that are looked at, one behind the other.
fn may_be_narrow(func: &Function, value: Value, depth: u32) -> bool {
    let ty = func.ty(value);
    let is_narrow = |bits: u64| bits <= 0xffff;
    if ty.scalar.bits() <= 16 {
        return true;
    }
    if !ty.is_vector() && ty.scalar.is_int() {
        let bits = facts(func, value).possible_ones();
        if is_narrow(bits)
            || ty.scalar == Scalar::I64 && (is_narrow(bits >> 32) || is_narrow(bits & 0xffff_ffff))
        {
            return true;
        }
    }
    let (Some(def), Some(depth)) = (func.def_inst(value), depth.checked_sub(1)) else {
        return func.as_const(value).is_none();
    };
    let data = &func.insts[def];
    let is = |n: usize| may_be_narrow(func, data.args[n], depth);
    match data.op {
        Op::LoadFrom(..) => false,
        Op::Cast(_) | Op::Extract(_) | Op::Binary(BinOp::LShr | BinOp::UDiv) => is(0),
        Op::Binary(BinOp::And | BinOp::URem) => is(0) || is(1),
        Op::Binary(BinOp::Or | BinOp::Xor) => is(0) && is(1),
        Op::Binary(_) | Op::Unary(_) => false,
        _ => true,
    }
}

/// Returns whether a factor of a product is 0 or 1, and the other one is a constant or this one a bit of a 64-bit integer.
fn is_factor_of_one_bit(func: &Function, product: Inst, n: usize) -> bool {
    let args = &func.insts[product].args;
    if func.as_const(args[n]).is_some() || !is_one_bit(func, args[n]) {
        return false;
    }
    let comes_from_64_bits = || {
        finds(func, args[n], |value, data| {
            let is_long = func.ty(value).scalar == Scalar::I64 && func.as_const(value).is_none();
            match data.map(|data| &data.op) {
                Some(Op::Cast(_)) => Step::Operands,
                _ if is_long => Step::Found,
                Some(Op::Binary(_) | Op::Select) => Step::Operands,
                _ => Step::Nothing,
            }
        })
    };
    func.as_const(args[1 - n]).is_some() || comes_from_64_bits()
}

/// Returns whether an integer, or each lane of a vector of integers, is known to be 0 or 1.
fn is_one_bit(func: &Function, value: Value) -> bool {
    let ty = func.ty(value);
    let Some(def) = func.def_inst(value).filter(|_| ty.is_vector()) else {
        return facts(func, value).max() <= 1;
    };
    let data = &func.insts[def];
    match data.op {
        Op::Cast(CastOp::ZExt | CastOp::Trunc) => {
            func.ty(data.args[0]).scalar == Scalar::Bool || is_one_bit(func, data.args[0])
        }
        Op::Binary(BinOp::And) => data.args.iter().any(|&a| func.as_splat(a) == Some(1)),
        Op::Binary(BinOp::LShr) => func.as_splat(data.args[1]) == Some(u64::from(ty.scalar.bits() - 1)),
        _ => false,
    }
}

/// Returns whether an operand of a bit operation is a double that has been computed, and the operation removes, sets or flips its sign.
fn is_double_of_masked_sign(func: &Function, inst: Inst, n: usize) -> bool {
    let data = &func.insts[inst];
    let sign = 1 << 63;
    let mask = match data.op {
        Op::Binary(BinOp::And) => !sign,
        _ => sign,
    };
    let def = |value: Value| func.def_inst(value).map(|def| &func.insts[def]);
    let is_computed = |number: Value| {
        let op = def(number).map(|data| &data.op);
        !matches!(
            op,
            Some(Op::Load(_) | Op::LoadFrom(..) | Op::Cast(CastOp::Bitcast))
        )
    };
    let number = def(data.args[n]).filter(|data| data.op == Op::Cast(CastOp::Bitcast));
    let number = number.map(|bitcast| bitcast.args[0]);
    func.ty(data.args[n]).scalar == Scalar::I64
        && func.as_splat(data.args[1 - n]) == Some(mask)
        && number.is_some_and(|number| func.ty(number).scalar == Scalar::F64 && is_computed(number))
}

/// Returns whether an operand is the negative of another operand of the same instruction.
fn negates_another_operand(func: &Function, inst: Inst, n: usize) -> bool {
    let args = &func.insts[inst].args;
    let def = |v: Value| func.def_inst(v).map(|def| &func.insts[def]);
    let Some(negation) = def(args[n]) else {
        return false;
    };
    match negation.op {
        Op::Unary(UnOp::INeg) => args.contains(&negation.args[0]),
        Op::Binary(BinOp::ISub) => {
            let [a, b] = [negation.args[0], negation.args[1]];
            let is_opposite = |data: &InstData| data.op == negation.op && data.args[..] == [b, a];
            let is_zero = func.as_splat(a) == Some(0);
            is_zero && args.contains(&b) || args.iter().any(|&v| def(v).is_some_and(is_opposite))
        }
        _ => false,
    }
}

/// Returns whether an integer is a choice between two constants, or the number that a truth value is.
fn is_truth(func: &Function, value: Value) -> bool {
    let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
        return false;
    };
    match def.op {
        Op::Select => def.args[1..].iter().all(|&a| func.as_const(a).is_some()),
        Op::Cast(CastOp::ZExt | CastOp::SExt) if func.ty(def.args[0]).scalar == Scalar::Bool => true,
        Op::Cast(CastOp::ZExt | CastOp::SExt | CastOp::Trunc) => is_truth(func, def.args[0]),
        _ => false,
    }
}

fn is_float(func: &Function, value: Value) -> bool {
    func.ty(value).scalar.is_float()
}

/// Returns whether every driver takes the value for an integer: it is a constant or the result of an integer
/// operation. Operations that only move a value keep its type for the driver.
fn is_computed_as_integer(func: &Function, value: Value) -> bool {
    if func.as_const(value).is_some() || !func.ty(value).scalar.is_int() {
        return true;
    }
    func.def_inst(value).is_some_and(|def| match &func.insts[def].op {
        Op::Binary(_) | Op::Unary(_) | Op::AtomicOn(..) => true,
        Op::Cast(op) => *op != CastOp::Bitcast,
        _ => false,
    })
}
