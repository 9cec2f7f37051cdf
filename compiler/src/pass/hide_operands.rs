//! Hides operands from drivers that treat some of them in a wrong way.
//!
//! In:  `Inlined`, `SystemValues`; after everything that could find out what is hidden.
//! Out: the same. For targets with [`Quirks::zero_operands`] and [`Quirks::typed_atomics`](crate::target::Quirks::typed_atomics).
//!
//! Why: where an operand of a sum, product or quotient is the constant 0, llvmpipe (`lp_bld_arit.c`, all versions) takes the other
//! operand, or 0, for the result, whatever the float controls say: −0 + 0 is −0 then, and 0 × NaN is 0. Where the operand of an atomic
//! operation on an integer comes from an operation on floats, which a bit cast in SPIR-V does not change for NIR, llvmpipe makes an
//! atomic operation on floats, which LLVM does not have: the process ends.
//!
//! How: such an operand is combined with a number that is always 0, but not for the driver: the sign bit of the number of the
//! work-group. In functions that are no kernels it is a bit that is 0 in the product of any integer and the next one.
//!
//! [`Quirks::zero_operands`]: crate::target::Quirks::zero_operands

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{BinOp, CastOp, Const, FpFlags, Function, Inst, Module, Op, Scalar, Ty, Value};
use crate::target::Target;
use std::collections::HashMap;

pub const PASS: Pass = Pass {
    name: "hide_operands",
    about: "Hides constant zeros and the types of values from drivers that handle them incorrectly.",
    run,
    requires: inv![Inlined, SystemValues],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let kernels: Vec<_> = module.kernels.iter().map(|k| k.func).collect();
    for (f, func) in module.funcs.iter_mut() {
        changed |= hide(func, kernels.contains(&f), cx.target);
    }
    Ok(changed.into())
}

/// Hides the operands of one function; returns whether there are any.
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

/// Returns the numbers of the operands that are zeros in some lane, where a shortcut would make a difference.
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
        // The driver inlines functions.
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

/// Whether a value is the result of an operation that has integers as results for any driver. What only moves values is not.
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

/// The instructions that are to stand at the start of a function, and their values.
#[derive(Default)]
struct Hidden {
    insts: Vec<Inst>,
    /// The zero of 32 bits.
    zero: Option<Value>,
    /// The zeros of other types.
    zeros: HashMap<Ty, Value>,
    constants: HashMap<Value, Value>,
    /// What is to stand before instructions.
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

    /// A zero of a type of integers that the driver does not know. `None` where the target has no such type, or the function nothing
    /// that the driver does not know.
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

    /// A zero of 32 bits that is computed from a parameter: the lowest bit of n × (n + 1).
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

    /// A value that is equal to a constant of floats.
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

    /// A value that is equal to another one, computed before the instruction that uses it.
    fn combined(
        &mut self,
        func: &mut Function,
        value: Value,
        user: Inst,
        is_kernel: bool,
        target: &Target,
    ) -> Option<Value> {
        let ty = func.ty(value);
        let zero = self.zero(func, ty, is_kernel, target)?;
        let span = func.insts[user].span;
        let inst = func.new_inst(Op::Binary(BinOp::Xor), vec![value, zero], &[ty], span);
        self.before.entry(user).or_default().push(inst);
        Some(func.insts[inst].results[0])
    }

    /// Inserts the instructions at the start of the function; returns whether there are any.
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
