//! The operations whose operands or results `hide_operands` hides, and why.

use crate::intrinsic::Intrinsic;
use crate::ir::{
    BinOp, CastOp, CmpOp, Const, FpFlags, Function, Inst, InstData, Op, Scalar, Storage, UnOp, Value,
};
use crate::pass::facts::facts;
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
        || q.nonnegative_comparisons
        || q.converted_truths
        || q.typed_atomics
        || q.narrow_integers
        || q.nonnegative_abs
        || q.bit_products
        || q.shared_quotients
        || q.repeated_clamps
        || q.byte_swaps
        || q.shifts_by_31
        || q.unmasked_loads
        || q.joined_conversions
        || q.joined_halves
}

/// Returns the operands that are hidden because of an instruction: the instructions that use them, and their
/// indices there.
pub(super) fn operands(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let mut found = operands_of(func, inst, target);
    if target.quirks.zero_operands {
        for n in found_zeros(func, inst) {
            if !found.contains(&(inst, n)) {
                found.push((inst, n));
            }
        }
    }
    found
}

fn operands_of(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let q = target.quirks;
    let data = &func.insts[inst];
    let all = || 0..data.args.len();
    let here = |operands: &mut dyn Iterator<Item = usize>| operands.map(|n| (inst, n)).collect();
    match data.op {
        Op::Cast(CastOp::SToF | CastOp::UToF) if q.converted_truths && is_truth(func, data.args[0]) => {
            here(&mut all())
        }
        Op::Cast(CastOp::UToF) | Op::Binary(BinOp::UDiv | BinOp::URem) if q.narrow_integers => {
            here(&mut all().filter(|&n| may_be_sign_extended(func, data.args[n])))
        }
        Op::Intrinsic(Intrinsic::PopCount) if q.narrow_integers => {
            here(&mut all().filter(|&n| func.ty(data.args[n]).is_vector() || is_narrow(func, data.args[n])))
        }
        Op::Binary(BinOp::IMul) if q.bit_products => here(&mut factor_of_one_bit(func, inst).into_iter()),
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

/// Returns the indices of the operands that have a zero in some lane, for operations in which the driver's
/// shortcut would change the result.
pub(super) fn zero_operands(func: &Function, inst: Inst) -> Vec<usize> {
    let has_zero = |n: &usize| is_zero_in_lane(func, func.insts[inst].args[*n]);
    operands_with_shortcuts(func, inst).filter(has_zero).collect()
}

fn is_zero_in_lane(func: &Function, value: Value) -> bool {
    has_lane(func, value, |lane, sign| lane & !sign == 0)
}

/// Returns the indices of the operands for which the driver has a shortcut that would change the result, if it finds them to be 0.
fn operands_with_shortcuts(func: &Function, inst: Inst) -> std::ops::Range<usize> {
    let data = &func.insts[inst];
    let FpFlags {
        finite,
        no_signed_zeros,
        fast,
        ..
    } = data.fp;
    let (operands, is_allowed) = match data.op {
        Op::Binary(BinOp::FAdd | BinOp::FSub) => (0..2, no_signed_zeros),
        Op::Binary(BinOp::FMul | BinOp::FDiv | BinOp::FRem) => (0..2, finite && no_signed_zeros),
        Op::Intrinsic(Intrinsic::Fma) => (0..2, finite && no_signed_zeros),
        // The driver inlines the function, and may then apply its shortcut inside.
        Op::CallPure(_) => (0..data.args.len(), false),
        _ => return 0..0,
    };
    if is_allowed || fast { 0..0 } else { operands }
}

/// Returns the indices of such operands that are no constants, but of which the driver may find out that they are 0: vectors that are
/// put together from zeros and other numbers, and divisors between two bounds.
fn found_zeros(func: &Function, inst: Inst) -> Vec<usize> {
    let data = &func.insts[inst];
    let is_division = matches!(data.op, Op::Binary(BinOp::FDiv | BinOp::FRem)) && !data.fp.finite;
    let is_found = |n: &usize| {
        let arg = data.args[*n];
        has_zero_part(func, arg) || is_division && *n == 1 && may_be_limited_to_zero(func, arg)
    };
    operands_with_shortcuts(func, inst).filter(is_found).collect()
}

/// Returns whether a vector is put together from parts with a constant zero among them.
fn has_zero_part(func: &Function, vector: Value) -> bool {
    let mut list = vec![vector];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
            continue;
        };
        if let Op::Construct | Op::Shuffle(_) | Op::Insert(_) = def.op
            && list.len() < MAX_FOLLOWED
        {
            if def.args.iter().any(|&part| is_zero_in_lane(func, part)) {
                return true;
            }
            list.extend_from_slice(&def.args);
        }
    }
    false
}

/// Returns whether a driver may find out that a number is 0, because it is a minimum or maximum, or a simple function of one.
fn may_be_limited_to_zero(func: &Function, value: Value) -> bool {
    let mut list = vec![value];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
            continue;
        };
        match def.op {
            Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax) => return true,
            Op::Intrinsic(
                Intrinsic::FAbs
                | Intrinsic::Floor
                | Intrinsic::Ceil
                | Intrinsic::Trunc
                | Intrinsic::RoundEven,
            )
            | Op::Unary(UnOp::FNeg)
            | Op::Cast(CastOp::FConvert)
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Construct
            | Op::Splat
                if list.len() < MAX_FOLLOWED =>
            {
                list.extend_from_slice(&def.args);
            }
            _ => {}
        }
    }
    false
}

/// The most operands that are followed to find out what a driver may know of a number.
const MAX_FOLLOWED: usize = 64;

/// Returns whether a number may be the result of a conversion that rounds, as far as a driver can see. It sees through moves and
/// functions such as `trunc`.
fn may_be_rounded(func: &Function, value: Value) -> bool {
    let mut list = vec![value];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
            if func.as_const(value).is_none() {
                return true;
            }
            continue;
        };
        match def.op {
            Op::Cast(CastOp::FConvert | CastOp::SToF | CastOp::UToF) if !is_rounded(func, value) => {}
            Op::Binary(_) | Op::CallPure(_) => {}
            Op::LoadFrom(storage, _) if storage != Storage::Variable => {}
            Op::Extract(_) | Op::Shuffle(_) | Op::Construct | Op::Splat if list.len() < MAX_FOLLOWED => {
                list.extend_from_slice(&def.args);
            }
            _ => return true,
        }
    }
    false
}

/// Returns whether a number is the result of a conversion that may round.
fn is_rounded(func: &Function, value: Value) -> bool {
    let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
        return false;
    };
    // The widest integers all of whose values the type has.
    let exact_bits = match func.ty(value).scalar {
        Scalar::F16 => 8,
        Scalar::F32 => 16,
        _ => 32,
    };
    let from = || func.ty(def.args[0]).scalar.bits();
    match def.op {
        Op::Cast(CastOp::FConvert) => from() > func.ty(value).scalar.bits(),
        Op::Cast(CastOp::SToF | CastOp::UToF) => from() > exact_bits,
        _ => false,
    }
}

/// Returns whether an integer may be the sign extension of a narrower one, and negative. For most operations
/// that do not extend a sign the answer is `false`, although their result may happen to be small.
fn may_be_sign_extended(func: &Function, value: Value) -> bool {
    let def = func.def_inst(value).map(|def| &func.insts[def]);
    if let Some(extension) = def.filter(|data| data.op == Op::Cast(CastOp::ZExt)) {
        // The driver converts the narrower integer.
        return may_be_sign_extended(func, extension.args[0]);
    }
    if facts(func, value).is_nonnegative() || func.as_const(value).is_some() {
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

/// Returns whether at most the lowest 16 bits of an integer can be set.
fn is_narrow(func: &Function, value: Value) -> bool {
    facts(func, value).max() <= 0xffff
}

/// If a product has a constant factor and another one that is 0 or 1, returns the index of the other one.
fn factor_of_one_bit(func: &Function, product: Inst) -> Option<usize> {
    let args = &func.insts[product].args;
    let (factor, _) = with_constant(func, args)?;
    is_one_bit(func, factor).then(|| usize::from(args[0] != factor))
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

/// If an instruction is the minimum of a constant and the maximum of a constant and another minimum, returns
/// the maximum, and the index of its operand that is the other minimum.
fn repeated_clamp(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let op_of = |value: Value| {
        let def = func.def_inst(value)?;
        Some((def, &func.insts[def]))
    };
    let outer = &func.insts[inst];
    if outer.fp.finite {
        return None;
    }
    let (max, data) = op_of(with_constant(func, &outer.args)?.0)?;
    if data.op != Op::Intrinsic(Intrinsic::FMax) {
        return None;
    }
    let inner = with_constant(func, &data.args)?.0;
    let is_minimum = op_of(inner)?.1.op == Op::Intrinsic(Intrinsic::FMin);
    is_minimum.then(|| (max, usize::from(data.args[0] != inner)))
}

/// Returns the operand of a maximum with 0 that is a minimum with 1. If its number is NaN, the result is 1, and that of the driver's
/// saturation 0.
fn reversed_saturation(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let (inner, zero) = with_constant(func, &data.args)?;
    let min = &func.insts[func.def_inst(inner)?];
    if min.op != Op::Intrinsic(Intrinsic::FMin) || data.fp.finite {
        return None;
    }
    let (_, one) = with_constant(func, &min.args)?;
    let one_of_type = bits_of_one(func.ty(inner).scalar);
    let is_saturation = has_lane(func, zero, |lane, sign| lane & !sign == 0)
        && has_lane(func, one, |lane, _| Some(lane) == one_of_type);
    is_saturation.then(|| (inst, usize::from(data.args[0] != inner)))
}

/// Returns the bits of a 1 of a float type.
pub(super) fn bits_of_one(scalar: Scalar) -> Option<u64> {
    match scalar.bits() {
        16 => Some(0x3c00),
        32 => Some(0x3f80_0000),
        64 => Some(0x3ff0_0000_0000_0000),
        _ => None,
    }
}

/// Returns the operands of a comparison of floats that are constants below zero, for a driver that takes a number that is not
/// negative or NaN, such as an absolute value, to be greater; and zeros, to which such a number is greater or equal.
pub(super) fn negative_comparands(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    let Op::Compare(op) = data.op else {
        return Vec::new();
    };
    if !target.quirks.nonnegative_comparisons {
        return Vec::new();
    }
    let is_below_zero = |n: usize| has_lane(func, data.args[n], |lane, sign| lane & sign != 0);
    // The comparisons whose result for NaN is another one than for all numbers that are not negative.
    let bound = match op {
        CmpOp::FOGe | CmpOp::FULt => Some(1),
        CmpOp::FOLe | CmpOp::FUGt => Some(0),
        _ => None,
    };
    let is_bound = |n: usize| {
        bound == Some(n)
            && has_lane(func, data.args[n], |lane, _| lane == 0)
            && may_be_nonnegative(func, data.args[1 - n])
    };
    let all = 0..data.args.len();
    all.filter(|&n| is_below_zero(n) || is_bound(n))
        .map(|n| (inst, n))
        .collect()
}

/// Returns whether a driver may find out that a number is not negative: whether it is made of absolute values, squares or square
/// roots.
fn may_be_nonnegative(func: &Function, value: Value) -> bool {
    let mut list = vec![value];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
            continue;
        };
        match def.op {
            Op::Intrinsic(Intrinsic::FAbs | Intrinsic::Sqrt) | Op::CallPure(_) => return true,
            // The sign may be cleared as a bit.
            Op::Cast(CastOp::Bitcast) => {
                let bits = func.def_inst(def.args[0]).map(|def| &func.insts[def].op);
                if let Some(Op::Binary(BinOp::And)) = bits {
                    return true;
                }
            }
            Op::Binary(BinOp::FMul | BinOp::FDiv) if def.args[0] == def.args[1] => return true,
            Op::Compare(_) | Op::LoadFrom(..) => {}
            _ if list.len() < MAX_FOLLOWED => list.extend_from_slice(&def.args),
            _ => return true,
        }
    }
    false
}

/// Returns whether an integer is a choice between two constants, or the number that a truth value is.
fn is_truth(func: &Function, value: Value) -> bool {
    let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
        return false;
    };
    match def.op {
        Op::Select => def.args[1..].iter().all(|&a| func.as_const(a).is_some()),
        Op::Cast(CastOp::ZExt | CastOp::SExt) => func.ty(def.args[0]).scalar == Scalar::Bool,
        _ => false,
    }
}

/// Returns the operand of a minimum of halves with a constant that is a maximum with a constant: a clamp, of which the driver has the
/// result in both halves of a register.
fn half_clamp(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let inner = with_constant(func, &data.args)?.0;
    let max = &func.insts[func.def_inst(inner)?];
    let is_clamp = max.op == Op::Intrinsic(Intrinsic::FMax) && with_constant(func, &max.args).is_some();
    let is_half = func.ty(inner).scalar == Scalar::F16;
    (is_clamp && is_half).then(|| (inst, usize::from(data.args[0] != inner)))
}

/// Returns the operands of a minimum or maximum of halves that may be in a register which all work-items of a sub-group share, for a
/// driver that reads the wrong half of it.
pub(super) fn shared_halves(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    let is_minimum = matches!(data.op, Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax));
    if !target.quirks.shared_registers || !is_minimum {
        return Vec::new();
    }
    let is_shared = |n: &usize| {
        let operand = data.args[*n];
        func.ty(operand).scalar == Scalar::F16 && may_be_shared(func, operand)
    };
    (0..data.args.len())
        .filter(is_shared)
        .map(|n| (inst, n))
        .collect()
}

/// Returns whether a value may be in a register that all work-items of a sub-group share: whether it is moved or computed with integer
/// operations from arguments of the kernel or numbers of the work-group.
fn may_be_shared(func: &Function, value: Value) -> bool {
    let mut list = vec![value];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        if func.as_const(value).is_some() {
            continue;
        }
        let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
            return true;
        };
        let is_integer = func.ty(value).scalar.is_int();
        match def.op {
            Op::LoadFrom(Storage::PushWord | Storage::ArgsWord, _) => return true,
            Op::Intrinsic(Intrinsic::WorkgroupId | Intrinsic::WorkgroupSize) => return true,
            Op::Cast(CastOp::Bitcast | CastOp::Trunc | CastOp::ZExt | CastOp::SExt)
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Construct
            | Op::Splat
            | Op::Select
            | Op::Unary(_)
            | Op::Intrinsic(Intrinsic::FAbs)
                if list.len() < MAX_FOLLOWED =>
            {
                list.extend_from_slice(&def.args);
            }
            Op::Binary(_) if is_integer && list.len() < MAX_FOLLOWED => list.extend_from_slice(&def.args),
            Op::Binary(_) if is_integer => return true,
            // Results of other operations are computed work-item by work-item.
            Op::LoadFrom(..) | Op::Binary(_) | Op::Cast(CastOp::FConvert | CastOp::SToF | CastOp::UToF) => {}
            Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax | Intrinsic::Fma) => {}
            _ => return true,
        }
    }
    false
}

/// Returns the operands of a minimum or maximum that are constants with a negative zero, for a driver that returns a positive zero for
/// it: NVIDIA's takes a clamp to 0 and 1 for a saturation, Mesa's takes the zeros of constants to be equal.
pub(super) fn negative_bounds(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    let is_minimum = matches!(data.op, Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax));
    if !target.quirks.negative_bounds || !is_minimum || data.fp.no_signed_zeros {
        return Vec::new();
    }
    let is_bound = |n: &usize| is_negative_zero(func, data.args[*n]);
    (0..data.args.len()).filter(is_bound).map(|n| (inst, n)).collect()
}

/// Returns whether a value is a constant float with a negative zero in some lane.
pub(super) fn is_negative_zero(func: &Function, value: Value) -> bool {
    has_lane(func, value, |lane, sign| lane == sign)
}

/// Returns whether a value is a constant float with a lane for which `test` is true. It gets the bits of the lane, and the bit of
/// the sign.
pub(super) fn has_lane(func: &Function, value: Value, test: impl Fn(u64, u64) -> bool) -> bool {
    let scalar = func.ty(value).scalar;
    match func.as_const(value) {
        Some(Const::Bits(lanes)) if scalar.is_float() => {
            lanes.iter().any(|&lane| test(lane, 1 << (scalar.bits() - 1)))
        }
        _ => false,
    }
}

/// If one of two operands is a constant, returns the other one and the constant.
fn with_constant(func: &Function, args: &[Value]) -> Option<(Value, Value)> {
    let n = args.iter().position(|&a| func.as_const(a).is_some())?;
    Some((args[1 - n], args[n]))
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
