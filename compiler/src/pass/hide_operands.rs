//! Hides operands from drivers that treat some operands incorrectly.
//!
//! In:  `Inlined`, `SystemValues`; after every pass that could see through the hidden values.
//! Out: the same. The pass changes modules only for targets with one of the faults that `is_for` lists.
//!
//! Why: if an operand of a sum, product or quotient is the constant 0, llvmpipe (`lp_bld_arit.c`, all
//! versions) uses the other operand, or 0, as the result, whatever the float controls say. −0 + 0 then is
//! −0, and 0 × NaN is 0. If the operand of an integer atomic comes from a floating-point operation (a bit
//! cast in SPIR-V does not change the value's type for NIR), llvmpipe emits a floating-point atomic, which
//! LLVM does not have, and the process ends. NVIDIA's driver (version 580) computes `(int(x) & 1) * 3` as 3 for
//! every 64-bit x, and `fmin(fmax(fmin(x, 2), 0), 1)` as 0 instead of 1 if x is NaN.
//!
//! How: the pass combines such an operand with a number that is always 0, which the driver cannot know: the
//! sign bit of the work-group's number. In functions that are not kernels, the number is the lowest bit of
//! `n * (n + 1)`, which is always even.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{BinOp, CastOp, Const, FpFlags, Function, Inst, Module, Op, Scalar, Ty, Value};
use crate::target::Target;
use std::collections::HashMap;

pub const PASS: Pass = Pass {
    name: "hide_operands",
    about: "Hides operands from drivers that simplify operations on them incorrectly.",
    run,
    requires: inv![Inlined, SystemValues],
    establishes: inv![],
    destroys: inv![],
};

/// Returns whether a target has a fault that the pass avoids.
pub(super) fn is_for(target: &Target) -> bool {
    let q = target.quirks;
    q.zero_operands || q.typed_atomics || q.bit_products || q.repeated_clamps
}

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let kernels: Vec<_> = module.kernels.iter().map(|k| k.func).collect();
    for (f, func) in module.funcs.iter_mut() {
        changed |= hide(func, kernels.contains(&f), cx.target);
    }
    Ok(changed.into())
}

/// Hides the operands of one function. Returns whether there are any.
fn hide(func: &mut Function, is_kernel: bool, target: &Target) -> bool {
    let mut hidden = Hidden::default();
    for inst in func.insts_in_order() {
        if target.quirks.zero_operands {
            for n in zero_operands(func, inst) {
                let value = func.insts[inst].args[n];
                if let Some(new) = hidden.constant(func, value, is_kernel, target) {
                    func.insts[inst].args[n] = new;
                }
            }
        }
        let product = target.quirks.bit_products.then(|| bit_product(func, inst));
        let clamp = target.quirks.repeated_clamps.then(|| repeated_clamp(func, inst));
        if let Some((user, value)) = product.flatten().or(clamp.flatten())
            && let Some(new) = hidden.combined(func, value, user, is_kernel, target)
        {
            let args = &mut func.insts[user].args;
            let n = usize::from(args[0] != value);
            args[n] = new;
        }
        if target.quirks.typed_atomics && matches!(func.insts[inst].op, Op::AtomicOn(..)) {
            for n in 1..func.insts[inst].args.len() {
                let value = func.insts[inst].args[n];
                if !is_computed_as_integer(func, value)
                    && let Some(new) = hidden.combined(func, value, inst, is_kernel, target)
                {
                    func.insts[inst].args[n] = new;
                }
            }
        }
    }
    hidden.place(func)
}

/// Returns the indices of the operands that have a zero in some lane, for operations in which the driver's
/// shortcut would change the result.
fn zero_operands(func: &Function, inst: Inst) -> Vec<usize> {
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
        _ => return Vec::new(),
    };
    if is_allowed || fast {
        return Vec::new();
    }
    let has_zero = |&n: &usize| {
        let ty = func.ty(data.args[n]);
        match func.as_const(data.args[n]) {
            Some(Const::Bits(lanes)) if ty.scalar.is_float() => {
                let sign = 1 << (ty.scalar.bits() - 1);
                lanes.iter().any(|l| l & !sign == 0)
            }
            _ => false,
        }
    };
    operands.filter(has_zero).collect()
}

/// If an instruction is the product of a constant and the lowest bit of a truncated 64-bit integer, returns the
/// `And` that computes the bit, and its operand that is the truncated integer.
fn bit_product(func: &Function, inst: Inst) -> Option<(Inst, Value)> {
    let product = &func.insts[inst];
    if product.op != Op::Binary(BinOp::IMul) {
        return None;
    }
    let (bit, _) = with_constant(func, &product.args)?;
    let and = func.def_inst(bit)?;
    if func.insts[and].op != Op::Binary(BinOp::And) {
        return None;
    }
    let (integer, mask) = with_constant(func, &func.insts[and].args)?;
    let truncation = &func.insts[func.def_inst(integer)?];
    let is_truncation =
        truncation.op == Op::Cast(CastOp::Trunc) && func.ty(truncation.args[0]).scalar == Scalar::I64;
    (is_truncation && func.as_splat(mask) == Some(1)).then_some((and, integer))
}

/// If an instruction is the minimum of a constant and the maximum of a constant and another minimum, returns
/// the maximum, and its operand that is the other minimum.
fn repeated_clamp(func: &Function, inst: Inst) -> Option<(Inst, Value)> {
    let op_of = |value: Value| {
        let def = func.def_inst(value)?;
        Some((def, &func.insts[def]))
    };
    let outer = &func.insts[inst];
    if outer.op != Op::Intrinsic(Intrinsic::FMin) || outer.fp.finite {
        return None;
    }
    let (max, data) = op_of(with_constant(func, &outer.args)?.0)?;
    if data.op != Op::Intrinsic(Intrinsic::FMax) {
        return None;
    }
    let inner = with_constant(func, &data.args)?.0;
    let is_minimum = op_of(inner)?.1.op == Op::Intrinsic(Intrinsic::FMin);
    is_minimum.then_some((max, inner))
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

/// The new instructions of a function, and the values that they compute.
#[derive(Default)]
struct Hidden {
    insts: Vec<Inst>,
    /// The 32-bit zero.
    zero: Option<Value>,
    /// The zeros of other types.
    zeros: HashMap<Ty, Value>,
    constants: HashMap<Value, Value>,
    /// The instructions to insert before others, by the instruction that they precede.
    before: HashMap<Inst, Vec<Inst>>,
}

impl Hidden {
    /// Adds an instruction with one result.
    fn add(&mut self, func: &mut Function, op: Op, args: Vec<Value>, ty: Ty) -> Value {
        let span = func.span;
        let inst = func.new_inst(op, args, &[ty], span);
        self.insts.push(inst);
        func.insts[inst].results[0]
    }

    /// Returns a zero of an integer type that the driver cannot fold. Returns `None` if the target lacks the
    /// type, or if the function has no value to compute the zero from.
    fn zero(&mut self, func: &mut Function, ty: Ty, is_kernel: bool, target: &Target) -> Option<Value> {
        if let Some(&zero) = self.zeros.get(&ty) {
            return Some(zero);
        }
        let has_type = match ty.scalar.bits() {
            8 => target.features.int8,
            16 => target.features.int16,
            64 => target.features.int64,
            _ => true,
        };
        if !has_type {
            return None;
        }
        let mut zero = match self.zero {
            Some(zero) => zero,
            None if is_kernel => {
                let groups = Ty::vector(Scalar::I32, 3);
                let group = self.add(func, Op::Intrinsic(Intrinsic::WorkgroupId), vec![], groups);
                let first = self.add(func, Op::Extract(0), vec![group], Ty::I32);
                let count = func.splat_bits(Ty::I32, 31);
                self.add(func, Op::Binary(BinOp::LShr), vec![first, count], Ty::I32)
            }
            None => self.of_parameter(func)?,
        };
        self.zero = Some(zero);
        let scalar = Ty::of(ty.scalar);
        if scalar != Ty::I32 {
            let op = if scalar.scalar.bits() < 32 {
                CastOp::Trunc
            } else {
                CastOp::ZExt
            };
            zero = self.add(func, Op::Cast(op), vec![zero], scalar);
        }
        if ty.lanes > 1 {
            zero = self.add(func, Op::Splat, vec![zero], ty);
        }
        self.zeros.insert(ty, zero);
        Some(zero)
    }

    /// Returns a 32-bit zero that is computed from a parameter: the lowest bit of n × (n + 1).
    fn of_parameter(&mut self, func: &mut Function) -> Option<Value> {
        let is_number = |&&p: &&Value| func.ty(p).scalar.is_int() || func.ty(p).scalar.is_float();
        let mut n = *func.params.iter().find(is_number)?;
        let ty = func.ty(n);
        if ty.lanes > 1 {
            n = self.add(func, Op::Extract(0), vec![n], Ty::of(ty.scalar));
        }
        let bits = Ty::of(Scalar::int(ty.scalar.bits()));
        if ty.scalar.is_float() {
            n = self.add(func, Op::Cast(CastOp::Bitcast), vec![n], bits);
        }
        if bits != Ty::I32 {
            let op = if bits.scalar.bits() < 32 {
                CastOp::ZExt
            } else {
                CastOp::Trunc
            };
            n = self.add(func, Op::Cast(op), vec![n], Ty::I32);
        }
        let one = func.splat_bits(Ty::I32, 1);
        let next = self.add(func, Op::Binary(BinOp::IAdd), vec![n, one], Ty::I32);
        let product = self.add(func, Op::Binary(BinOp::IMul), vec![n, next], Ty::I32);
        Some(self.add(func, Op::Binary(BinOp::And), vec![product, one], Ty::I32))
    }

    /// Returns a value that equals a floating-point constant and that the driver cannot fold.
    fn constant(
        &mut self,
        func: &mut Function,
        value: Value,
        is_kernel: bool,
        target: &Target,
    ) -> Option<Value> {
        if let Some(&known) = self.constants.get(&value) {
            return Some(known);
        }
        let ty = func.ty(value);
        let words = ty.with_scalar(Scalar::int(ty.scalar.bits()));
        let bits = func.as_const(value)?.clone();
        let mut new = self.zero(func, words, is_kernel, target)?;
        if !matches!(&bits, Const::Bits(lanes) if lanes.iter().all(|&l| l == 0)) {
            let bits = func.constant(words, bits);
            new = self.add(func, Op::Binary(BinOp::Xor), vec![new, bits], words);
        }
        let new = self.add(func, Op::Cast(CastOp::Bitcast), vec![new], ty);
        self.constants.insert(value, new);
        Some(new)
    }

    /// Returns a value that equals another one. It is computed before the instruction that uses it.
    fn combined(
        &mut self,
        func: &mut Function,
        value: Value,
        user: Inst,
        is_kernel: bool,
        target: &Target,
    ) -> Option<Value> {
        let ty = func.ty(value);
        let bits = ty.with_scalar(Scalar::int(ty.scalar.bits()));
        let zero = self.zero(func, bits, is_kernel, target)?;
        let span = func.insts[user].span;
        let before = self.before.entry(user).or_default();
        let mut compute = |op, args: &[Value], to| {
            let inst = func.new_inst(op, args.to_vec(), &[to], span);
            before.push(inst);
            func.insts[inst].results[0]
        };
        if ty == bits {
            return Some(compute(Op::Binary(BinOp::Xor), &[value, zero], ty));
        }
        let value = compute(Op::Cast(CastOp::Bitcast), &[value], bits);
        let value = compute(Op::Binary(BinOp::Xor), &[value, zero], bits);
        Some(compute(Op::Cast(CastOp::Bitcast), &[value], ty))
    }

    /// Inserts the instructions into the function. Returns whether there are any.
    fn place(self, func: &mut Function) -> bool {
        let changed = !self.insts.is_empty();
        if !self.before.is_empty() {
            for region in func.regions_in_order() {
                for inst in std::mem::take(&mut func.regions[region].insts) {
                    func.regions[region]
                        .insts
                        .extend(self.before.get(&inst).into_iter().flatten());
                    func.regions[region].insts.push(inst);
                }
            }
        }
        func.regions[func.body].insts.splice(0..0, self.insts);
        changed
    }
}
