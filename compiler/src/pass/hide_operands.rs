//! Hides operands from drivers that treat some operands incorrectly.
//!
//! In:  `Inlined`, `SystemValues`; after every pass that could see through the hidden values.
//! Out: the same. The pass changes modules only for targets with one of the faults that `is_for` lists.
//!
//! Why: if an operand of a sum, product or quotient is the constant 0, llvmpipe (`lp_bld_arit.c`, all
//! versions) uses the other operand, or 0, as the result, whatever the float controls say. −0 + 0 then is
//! −0, and 0 × NaN is 0. If the operand of an integer atomic comes from a floating-point operation (a bit
//! cast in SPIR-V does not change the value's type for NIR), llvmpipe emits a floating-point atomic, which
//! LLVM does not have, and the process ends. NVIDIA's driver (version 580) has more such faults; the fields of
//! [`Quirks`](crate::target::Quirks) describe them, and `rules` lists the operations.
//!
//! How: the pass combines such an operand, or the result of such an operation, with a *hidden zero* by an exclusive or. Where the
//! value may contain hidden operands already, it uses an or, because a second exclusive or would undo the first one. A hidden zero
//! is a number that is always 0, which the driver cannot find out: the negative of the lowest bit of `n * (n + 1)`, a
//! product that is always even. In kernels, n is the number of the work-group, or, for NVIDIA's driver, a sum that differs
//! from work-item to work-item; in other functions it is a parameter that is no constant in any call, or a sum of all. For
//! the driver, each bit of the negative may be 0 or 1. The lowest bit alone would not do: its other bits are known to be 0,
//! so the driver would know all other bits of the operand, its sign among them.
//!
//! Some drivers execute a load once for all work-items that share its address, even if none of them is active. For these,
//! addresses of loads are combined with a hidden zero whose n is the number of the work-item in its sub-group, so that the
//! driver must take the addresses to be different. Functions with such loads, which read tables in constant memory, have
//! the hidden zero as their last parameter.

mod bounds;
mod byte_swaps;
mod chosen_zeros;
mod constants;
mod conversions;
mod cut_conversions;
mod found;
mod loads;
mod parts;
mod rules;
mod search;
mod shifts;
mod starts;
mod zeros;

use super::analysis::loop_tests::Nest;
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{BinOp, CastOp, Const, EntityRef, Function, Inst, Module, Op, Scalar, Ty, UnOp, Value};
use crate::target::Target;

use found::{Found, Lanes};
pub(super) use rules::is_for;
use shifts::Shift;

pub const PASS: Pass = Pass {
    name: "hide_operands",
    about: "Hides operands from drivers that simplify operations on them incorrectly.",
    run,
    requires: inv![Inlined, SystemValues],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let kernels: Vec<_> = module.kernels.iter().map(|k| k.func).collect();
    let loading = match cx.target.quirks.unmasked_loads {
        true => loads::loading_functions(module),
        false => vec![false; module.funcs.len()],
    };
    let passed = found::passed(module, cx.target.quirks.zero_operands);
    for (f, func) in module.funcs.iter_mut() {
        let is_kernel = kernels.contains(&f);
        // The function's own operands first: the zero for them must not come from the new parameter, whose value the driver knows
        // where it inlines the function.
        changed |= hide(func, is_kernel, &passed[f.index()], cx.target);
        if cx.target.quirks.unmasked_loads {
            changed |= hide_addresses(func, is_kernel, loading[f.index()], &loading, cx.target);
        }
    }
    Ok(changed.into())
}

/// Hides the addresses of loads in one function, and gives their zero to the functions with loads that it calls. Returns
/// whether there are any.
fn hide_addresses(
    func: &mut Function,
    is_kernel: bool,
    is_loading: bool,
    loading: &[bool],
    target: &Target,
) -> bool {
    let mut by_lane = Hidden {
        by_lane: true,
        ..Hidden::default()
    };
    let loads = match is_kernel {
        true => loads::conditional(func),
        false => loads::all(func),
    };
    if is_loading {
        by_lane.words.insert(Use::Operand, func.add_param(Ty::I32));
    }
    let mut changed = is_loading;
    for inst in loads {
        by_lane.operand(func, (inst, 0), is_kernel, target);
    }
    for inst in func.insts_in_order() {
        if loads::calls(func, inst, loading)
            && let Some(zero) = by_lane.zero(func, (Use::Operand, Ty::I32), is_kernel, target)
        {
            func.insts[inst].args.push(zero);
            changed = true;
        }
    }
    by_lane.place(func) | changed
}

/// Hides the operands of one function. `passed`: what the driver may find out about its parameters. Returns whether there are any.
fn hide(func: &mut Function, is_kernel: bool, passed: &[Lanes], target: &Target) -> bool {
    let mut hidden = Hidden {
        passed: passed.to_vec(),
        ..Hidden::default()
    };
    let byte_swaps = match target.quirks.byte_swaps {
        true => byte_swaps::byte_swaps(func),
        false => HashSet::default(),
    };
    let cut_conversions = match target.quirks.cut_conversions {
        true => cut_conversions::cut_conversions(func),
        false => HashSet::default(),
    };
    let choices = chosen_zeros::Choices::of(func, target);
    let q = &target.quirks;
    let found = match q.zero_operands || q.chosen_zeros || q.chosen_negative_zeros {
        true => Found::of(func, passed, q.zero_operands),
        false => Found::default(),
    };
    let mut nest = None;
    for inst in func.insts_in_order() {
        if byte_swaps.contains(&inst) {
            hidden.operand(func, (inst, 0), is_kernel, target);
        }
        let mut constants = chosen_zeros::chosen_zeros(func, inst, &choices, target);
        constants.extend(bounds::negative_bounds(func, inst, target));
        constants.extend(chosen_zeros::zeros_of_loops(func, inst, target));
        constants.extend(bounds::signed_comparands(func, inst, target));
        if target.quirks.miscounted_loops && func.insts[inst].op == Op::Loop {
            let nest = nest.get_or_insert_with(|| Nest::new(func));
            constants.extend(starts::miscounted_starts(func, nest, inst));
        }
        for (user, n) in constants {
            let value = func.insts[user].args[n];
            if let Some(new) = hidden.constant(func, value, is_kernel, target) {
                func.insts[user].args[n] = new;
            }
        }
        if target.quirks.zero_operands {
            let passed = found.passed_constants(func, inst);
            for n in zeros::zero_operands(func, inst).into_iter().chain(passed) {
                let value = func.insts[inst].args[n];
                if let Some(new) = hidden.constant(func, value, is_kernel, target) {
                    func.insts[inst].args[n] = new;
                }
            }
        }
        match shifts::shift(func, inst).filter(|_| target.quirks.shifts_by_31) {
            Some(Shift::InWords(number)) => hidden.shift_in_words(func, inst, number),
            Some(Shift::OfHidden) => hidden.operand(func, (inst, 0), is_kernel, target),
            None => {}
        }
        if target.quirks.nonnegative_abs && func.insts[inst].op == Op::Intrinsic(Intrinsic::SAbs) {
            hidden.maximum_of_negation(func, inst);
        }
        let mut operands = chosen_zeros::found_sides(func, inst, &found, target);
        if target.quirks.zero_operands {
            operands.extend(
                zeros::found_zeros(func, inst, &found)
                    .into_iter()
                    .map(|n| (inst, n)),
            );
        }
        operands.extend(bounds::found_conversion(func, inst, &found, target));
        for operand in operands {
            hidden.operand_by(BinOp::Or, func, operand, is_kernel, target);
        }
        for operand in rules::operands(func, inst, target) {
            hidden.operand(func, operand, is_kernel, target);
        }
        if rules::hides_result(func, inst, target) || cut_conversions.contains(&inst) {
            hidden.result(func, inst, is_kernel, target);
        }
    }
    hidden.place(func)
}

/// What a zero is combined with. The two have zeros of their own: an operand may be a constant or a result that is hidden
/// already, or have parts that are, and the same zero twice would cancel itself.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Use {
    ConstantOrResult,
    Operand,
}

/// The new instructions of a function, and the values that they compute.
#[derive(Default)]
struct Hidden {
    /// Whether the zeros differ from lane to lane of a sub-group, as far as the driver knows.
    by_lane: bool,
    /// What the driver may find out about the parameters.
    passed: Vec<Lanes>,
    insts: Vec<Inst>,
    /// The number that the zeros are computed from.
    number: Option<Value>,
    /// The 32-bit zeros.
    words: HashMap<Use, Value>,
    /// The zeros of all types.
    zeros: HashMap<(Use, Ty), Value>,
    constants: HashMap<Value, Value>,
    /// The operands that are hidden.
    operands: HashSet<(Inst, usize)>,
    /// The instructions to insert before others, by the instruction that they precede.
    before: HashMap<Inst, Vec<Inst>>,
    /// The instructions that hide a result, by the instruction that they follow.
    after: HashMap<Inst, Inst>,
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
    fn zero(
        &mut self,
        func: &mut Function,
        (usage, ty): (Use, Ty),
        is_kernel: bool,
        target: &Target,
    ) -> Option<Value> {
        if let Some(&zero) = self.zeros.get(&(usage, ty)) {
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
        let mut zero = self.word(func, usage, is_kernel, target)?;
        let scalar = Ty::of(ty.scalar);
        match scalar.scalar.bits() {
            32 => {}
            // The driver would know that an extended zero, and its combination with another extended number, is an extended
            // number.
            64 => {
                let pair = self.add(func, Op::Splat, vec![zero], Ty::vector(Scalar::I32, 2));
                zero = self.add(func, Op::Cast(CastOp::Bitcast), vec![pair], scalar);
            }
            _ => zero = self.add(func, Op::Cast(CastOp::Trunc), vec![zero], scalar),
        }
        if ty.lanes > 1 {
            zero = self.add(func, Op::Splat, vec![zero], ty);
        }
        self.zeros.insert((usage, ty), zero);
        Some(zero)
    }

    /// Returns a 32-bit zero. The two are computed from different bits of the number: the driver computes only with the bits that decide,
    /// so that zeros from the same bits would be one value, and undo each other.
    fn word(&mut self, func: &mut Function, usage: Use, is_kernel: bool, target: &Target) -> Option<Value> {
        if let Some(&zero) = self.words.get(&usage) {
            return Some(zero);
        }
        let number = match self.number {
            Some(number) => number,
            None if self.by_lane => {
                self.add(func, Op::Intrinsic(Intrinsic::SubgroupLocalId), vec![], Ty::I32)
            }
            None if is_kernel => self.number_of_kernel(func, target),
            None => self.parameter(func)?,
        };
        self.number = Some(number);
        let number = match usage {
            Use::ConstantOrResult => number,
            // The lowest bit is part of this, too, because the driver may know the other bit of a parameter.
            Use::Operand => {
                let one = func.splat_bits(Ty::I32, 1);
                let moved = self.add(func, Op::Binary(BinOp::LShr), vec![number, one], Ty::I32);
                self.add(func, Op::Binary(BinOp::Xor), vec![number, moved], Ty::I32)
            }
        };
        let zero = self.zero_of(func, number);
        self.words.insert(usage, zero);
        Some(zero)
    }

    /// Returns the number of the work-group in the first dimension. Where numbers that all work-items share do harm, that of the
    /// work-item in its sub-group is added. (Those in the work-group would not do: the driver knows them in a group of one
    /// work-item.)
    fn number_of_kernel(&mut self, func: &mut Function, target: &Target) -> Value {
        let ids = Ty::vector(Scalar::I32, 3);
        let group = self.add(func, Op::Intrinsic(Intrinsic::WorkgroupId), vec![], ids);
        let number = self.add(func, Op::Extract(0), vec![group], Ty::I32);
        if !target.quirks.shared_registers || !target.features.subgroups {
            return number;
        }
        let lane = self.add(func, Op::Intrinsic(Intrinsic::SubgroupLocalId), vec![], Ty::I32);
        self.add(func, Op::Binary(BinOp::IAdd), vec![number, lane], Ty::I32)
    }

    /// Returns 32 bits of a parameter that is no constant in any call, or else a sum of all: some of them are no constants
    /// in a call that the driver does not fold.
    fn parameter(&mut self, func: &mut Function) -> Option<Value> {
        let is_number = |p: Value| func.ty(p).scalar.is_int() || func.ty(p).scalar.is_float();
        let numbers: Vec<(usize, Value)> = func
            .params
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, p)| is_number(*p))
            .collect();
        let is_known = |n: usize| self.passed.get(n).is_some_and(|lanes| lanes.are_known());
        if let Some(&(_, unknown)) = numbers.iter().find(|(n, _)| !is_known(*n)) {
            return Some(self.word_of(func, unknown));
        }
        let mut sum: Option<Value> = None;
        for (_, param) in numbers {
            let word = self.word_of(func, param);
            sum = Some(match sum {
                None => word,
                Some(sum) => self.add(func, Op::Binary(BinOp::IAdd), vec![sum, word], Ty::I32),
            });
        }
        sum
    }

    /// Returns 32 bits of a number.
    fn word_of(&mut self, func: &mut Function, mut n: Value) -> Value {
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
        n
    }

    /// Returns 0, computed from a number n: the negative of the lowest bit of n × (n + 1).
    fn zero_of(&mut self, func: &mut Function, n: Value) -> Value {
        let one = func.splat_bits(Ty::I32, 1);
        let next = self.add(func, Op::Binary(BinOp::IAdd), vec![n, one], Ty::I32);
        let product = self.add(func, Op::Binary(BinOp::IMul), vec![n, next], Ty::I32);
        let bit = self.add(func, Op::Binary(BinOp::And), vec![product, one], Ty::I32);
        self.add(func, Op::Unary(UnOp::INeg), vec![bit], Ty::I32)
    }

    /// Hides an operand of an instruction, which is given by its index.
    fn operand(&mut self, func: &mut Function, operand: (Inst, usize), is_kernel: bool, target: &Target) {
        self.operand_by(BinOp::Xor, func, operand, is_kernel, target);
    }

    /// Hides an operand by an exclusive or, or by an or, which does not undo the former where it meets it: a value may
    /// contain others that have been hidden. Several rules may ask for the same operand.
    fn operand_by(
        &mut self,
        op: BinOp,
        func: &mut Function,
        (user, n): (Inst, usize),
        is_kernel: bool,
        target: &Target,
    ) {
        if !self.operands.insert((user, n)) {
            return;
        }
        let value = func.insts[user].args[n];
        if let Some(new) = self.combined(func, value, op, user, is_kernel, target) {
            func.insts[user].args[n] = new;
        }
    }

    /// Returns a value that equals a constant and that the driver cannot fold.
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
        let mut new = self.zero(func, (Use::ConstantOrResult, words), is_kernel, target)?;
        if !matches!(&bits, Const::Bits(lanes) if lanes.iter().all(|&l| l == 0)) {
            let bits = func.constant(words, bits);
            new = self.add(func, Op::Binary(BinOp::Xor), vec![new, bits], words);
        }
        let new = match ty == words {
            true => new,
            false => self.add(func, Op::Cast(CastOp::Bitcast), vec![new], ty),
        };
        self.constants.insert(value, new);
        Some(new)
    }

    /// Returns a value that equals another one. It is computed before the instruction that uses it.
    fn combined(
        &mut self,
        func: &mut Function,
        value: Value,
        op: BinOp,
        user: Inst,
        is_kernel: bool,
        target: &Target,
    ) -> Option<Value> {
        let ty = func.ty(value);
        let bits = ty.with_scalar(Scalar::int(ty.scalar.bits()));
        let zero = self.zero(func, (Use::Operand, bits), is_kernel, target)?;
        let span = func.insts[user].span;
        let before = self.before.entry(user).or_default();
        let mut compute = |op, args: &[Value], to| {
            let inst = func.new_inst(op, args.to_vec(), &[to], span);
            before.push(inst);
            func.insts[inst].results[0]
        };
        if ty == bits {
            return Some(compute(Op::Binary(op), &[value, zero], ty));
        }
        let value = compute(Op::Cast(CastOp::Bitcast), &[value], bits);
        let value = compute(Op::Binary(op), &[value, zero], bits);
        Some(compute(Op::Cast(CastOp::Bitcast), &[value], ty))
    }

    /// Replaces an absolute value by the maximum of the operand and its negative.
    fn maximum_of_negation(&mut self, func: &mut Function, abs: Inst) {
        let data = &func.insts[abs];
        let (x, span) = (data.args[0], data.span);
        let negation = func.new_inst(Op::Unary(UnOp::INeg), vec![x], &[func.ty(x)], span);
        self.before.entry(abs).or_default().push(negation);
        let negative = func.insts[negation].results[0];
        let data = &mut func.insts[abs];
        data.op = Op::Intrinsic(Intrinsic::SMax);
        data.args.push(negative);
    }

    /// Hides the result of an instruction, which is an integer, from all its uses.
    fn result(&mut self, func: &mut Function, inst: Inst, is_kernel: bool, target: &Target) {
        let result = func.insts[inst].results[0];
        let ty = func.ty(result);
        if let Some(zero) = self.zero(func, (Use::ConstantOrResult, ty), is_kernel, target) {
            let span = func.insts[inst].span;
            let hiding = func.new_inst(Op::Binary(BinOp::Xor), vec![result, zero], &[ty], span);
            self.after.insert(inst, hiding);
        }
    }

    /// Inserts the instructions into the function. Returns whether there are any.
    fn place(self, func: &mut Function) -> bool {
        let changed = !(self.insts.is_empty() && self.before.is_empty());
        if !(self.before.is_empty() && self.after.is_empty()) {
            for region in func.regions_in_order() {
                for inst in std::mem::take(&mut func.regions[region].insts) {
                    let insts = &mut func.regions[region].insts;
                    insts.extend(self.before.get(&inst).into_iter().flatten());
                    insts.push(inst);
                    insts.extend(self.after.get(&inst));
                }
            }
        }
        let mut replaced = Replacements::default();
        for (&inst, &hiding) in &self.after {
            replaced.set(func.insts[inst].results[0], func.insts[hiding].results[0]);
        }
        replaced.apply(func);
        for (&inst, &hiding) in &self.after {
            func.insts[hiding].args[0] = func.insts[inst].results[0];
        }
        func.regions[func.body].insts.splice(0..0, self.insts);
        changed
    }
}
