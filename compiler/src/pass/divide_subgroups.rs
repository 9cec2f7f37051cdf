//! Divides the device's sub-groups into smaller ones, for kernels that require a size below the device's.
//!
//! Why: cl_intel_required_subgroup_size. A kernel that is written for sub-groups of 16 work-items relies on this size, and
//!      the device's sub-groups may have 32 or 64.
//! In:  `Inlined`. The target states the size of the device's sub-groups
//!      ([`Target::subgroup_size`](crate::target::Target::subgroup_size)), and has shuffles.
//! Out: a kernel whose `subgroups.size` is smaller asks for ids and sizes of sub-groups, and operates on them, as if each
//!      sub-group of the device were several ones of that size. Its first `size` work-items are the first of them.
//!      `subgroups.divides` has the device's size, for which the code is.
//!
//! Ballots are shifted to the bits of the own part, and other operations read the values of the own part by shuffles, since
//! SPIR-V has clusters for reductions only. As with SPIR-V's operations, the active work-items take part. Operations that may
//! reach beyond the own part have undefined results, but never read values of other parts.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::{Intrinsic, SubgroupOp, SubgroupPart};
use crate::inv;
use crate::ir::rewrite::Rewriting;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, InstData, Module, Op, Scalar, Ty, Value, eval};
use crate::target::DIVIDED_SUBGROUPS;

pub const PASS: Pass = Pass {
    name: "divide_subgroups",
    about: "Divides sub-groups for kernels that require smaller ones than the device's.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let Some(device) = cx.target.subgroup_size else {
        return Ok(Changed::No);
    };
    let mut changed = false;
    for kernel in module
        .kernels
        .iter_mut()
        .filter(|k| k.subgroups.divides.is_none())
    {
        // The runtime refuses other sizes than the device's where the code does not divide.
        let can_be_had =
            |size: &u32| *size < device && size.is_power_of_two() && DIVIDED_SUBGROUPS.contains(size);
        let Some(size) = kernel.subgroups.size.filter(can_be_had) else {
            continue;
        };
        let func = &mut module.funcs[kernel.func];
        if uses_subgroups(func) {
            divide(func, Sizes { size, device })?;
        }
        kernel.subgroups.divides = Some(device);
        changed = true;
    }
    Ok(changed.into())
}

/// Returns whether a function asks for sub-groups or operates on them.
fn uses_subgroups(func: &Function) -> bool {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        if let Op::Intrinsic(op) = func.insts[inst].op
            && op.concerns_subgroups()
        {
            return true;
        }
    }
    false
}

/// The numbers of work-items of sub-groups. Both are powers of two.
#[derive(Copy, Clone)]
struct Sizes {
    /// The number that the kernel requires.
    size: u32,
    /// The number that the device has.
    device: u32,
}

/// A function whose operations on sub-groups are being replaced.
struct Divide<'f> {
    b: Builder<'f>,
    sizes: Sizes,
    /// The number of the work-item in the device's sub-group.
    item: Value,
    /// The number, in the device's sub-group, of the first work-item of the own part.
    first: Value,
    /// The number of the work-item in its part.
    own: Value,
    /// The number of work-items of the part that were active at the start of the kernel.
    active: Value,
}

fn divide(func: &mut Function, sizes: Sizes) -> Result<(), PassError> {
    let body = func.body;
    let mut rewriting = Rewriting::new(&mut Builder::at_end(func, body));
    let mut b = Builder::at_end(func, body);
    let item = b.value(Op::Intrinsic(Intrinsic::SubgroupLocalId), [], Ty::I32);
    let within = b.i32(sizes.size as i32 - 1);
    let own = b.binary(BinOp::And, item, within);
    let first = b.binary(BinOp::ISub, item, own);
    let mut d = Divide {
        active: own,
        b,
        sizes,
        item,
        first,
        own,
    };
    let here = d.present();
    d.active = d.count(here);
    let mut replaced = Replacements::default();
    while let Some(inst) = rewriting.next(&mut d.b) {
        let data = d.b.func.insts[inst].clone();
        (d.b.span, d.b.fp) = (data.span, data.fp);
        match d.replacement(&data)? {
            Some(value) => replaced.set(data.results[0], value),
            None => d.b.push(inst),
        }
    }
    replaced.apply(func);
    Ok(())
}

impl Divide<'_> {
    /// Emits what replaces an instruction; `None` if it stays.
    fn replacement(&mut self, data: &InstData) -> Result<Option<Value>, PassError> {
        let Op::Intrinsic(op) = data.op else {
            return Ok(None);
        };
        let Sizes { size, device } = self.sizes;
        let args = &data.args;
        Ok(Some(match op {
            Intrinsic::SubgroupMaxSize => self.number(size),
            Intrinsic::SubgroupSize => self.active,
            Intrinsic::SubgroupLocalId => self.own,
            Intrinsic::SubgroupId => {
                let whole = self.b.value(data.op.clone(), [], Ty::I32);
                let parts = self.number(device / size);
                let before = self.b.binary(BinOp::IMul, whole, parts);
                let size = self.number(size);
                let part = self.b.binary(BinOp::UDiv, self.item, size);
                self.b.binary(BinOp::IAdd, before, part)
            }
            Intrinsic::NumSubgroups => self.sub_groups(),
            Intrinsic::SubgroupAll => {
                let no = self.b.bool(true);
                let no = self.b.binary(BinOp::Xor, args[0], no);
                let bits = self.ballot(no);
                let none = self.number(0);
                self.b.compare(CmpOp::IEq, bits, none)
            }
            Intrinsic::SubgroupAny => {
                let bits = self.ballot(args[0]);
                let none = self.number(0);
                self.b.compare(CmpOp::INe, bits, none)
            }
            Intrinsic::SubgroupBallot => {
                let bits = self.ballot(args[0]);
                let none = self.number(0);
                let ty = self.b.func.ty(data.results[0]);
                self.b.construct(ty, vec![bits, none, none, none])
            }
            Intrinsic::SubgroupBroadcast | Intrinsic::SubgroupShuffle => {
                let within = self.number(size - 1);
                let number = self.b.binary(BinOp::And, args[1], within);
                self.from(args[0], number)
            }
            Intrinsic::SubgroupShuffleXor => {
                let within = self.number(size - 1);
                let mask = self.b.binary(BinOp::And, args[1], within);
                let ty = self.b.func.ty(args[0]);
                self.b.value(data.op.clone(), [args[0], mask], ty)
            }
            Intrinsic::SubgroupArith(op, part) => self.joined(op, part, args[0]),
            Intrinsic::Matrix(_) => {
                return Err(PassError::Unsupported {
                    feature: format!("a cooperative matrix in a kernel with sub-groups of {size}"),
                    span: data.span,
                    needs: format!("the device's sub-groups of {device}"),
                });
            }
            // A barrier may wait for more work-items than it must.
            _ => return Ok(None),
        }))
    }

    fn number(&mut self, n: u32) -> Value {
        self.b.i32(n as i32)
    }

    /// Returns a value of the work-item with a number in the own part.
    fn from(&mut self, value: Value, number: Value) -> Value {
        let item = self.b.binary(BinOp::Or, self.first, number);
        let ty = self.b.func.ty(value);
        let shuffle = Op::Intrinsic(Intrinsic::SubgroupShuffle);
        self.b.value(shuffle, [value, item], ty)
    }

    /// Returns the active work-items of the own part for which a condition is true, as bits from bit 0 on.
    fn ballot(&mut self, condition: Value) -> Value {
        let Sizes { size, device } = self.sizes;
        let ballot = Op::Intrinsic(Intrinsic::SubgroupBallot);
        let words = self.b.value(ballot, [condition], Ty::vector(Scalar::I32, 4));
        let mut word = self.b.extract(words, 0);
        for n in 1..device.div_ceil(32) {
            let start = self.number(n * 32);
            let there = self.b.compare(CmpOp::UGe, self.item, start);
            let other = self.b.extract(words, n as u8);
            word = self.b.select(there, other, word);
        }
        let last = self.number(31);
        let at = self.b.binary(BinOp::And, self.first, last);
        let bits = self.b.binary(BinOp::LShr, word, at);
        let own = self.b.bits(Ty::I32, u64::from(u32::MAX >> (32 - size)));
        self.b.binary(BinOp::And, bits, own)
    }

    /// Returns the active work-items of the own part.
    fn present(&mut self) -> Value {
        let yes = self.b.bool(true);
        self.ballot(yes)
    }

    fn count(&mut self, bits: Value) -> Value {
        let count = Op::Intrinsic(Intrinsic::PopCount);
        self.b.value(count, [bits], Ty::I32)
    }

    /// Returns the number of sub-groups of the work-group.
    fn sub_groups(&mut self) -> Value {
        let mut items = None;
        for dim in 0..3 {
            let dim = self.b.i32(dim);
            let size = self.b.value(Op::Intrinsic(Intrinsic::LocalSize), [dim], Ty::I64);
            let size = self.b.cast(CastOp::Trunc, size, Ty::I32);
            items = Some(match items {
                None => size,
                Some(before) => self.b.binary(BinOp::IMul, before, size),
            });
        }
        let one_less = self.number(self.sizes.size - 1);
        let items = items.unwrap_or(one_less);
        let up = self.b.binary(BinOp::IAdd, items, one_less);
        let size = self.number(self.sizes.size);
        self.b.binary(BinOp::UDiv, up, size)
    }

    /// Joins the values of the active work-items of the own part, in the order of their numbers.
    fn joined(&mut self, op: SubgroupOp, part: SubgroupPart, value: Value) -> Value {
        let present = self.present();
        let one = self.number(1);
        let taking_part = match part {
            SubgroupPart::Reduce => present,
            SubgroupPart::Inclusive | SubgroupPart::Exclusive => {
                let own = self.b.binary(BinOp::Shl, one, self.own);
                let before = self.b.binary(BinOp::ISub, own, one);
                let before = self.b.binary(BinOp::And, present, before);
                match part {
                    SubgroupPart::Inclusive => self.b.binary(BinOp::Or, before, own),
                    _ => before,
                }
            }
        };
        let ty = self.b.func.ty(value);
        let identity = self.b.bits(ty, eval::identity(op, ty.scalar));
        // Joining the own value again changes nothing, where it takes part. So infinities need not exist
        // (-cl-finite-math-only).
        let again = is_idempotent(op) && part != SubgroupPart::Exclusive;
        let mut all = if again { value } else { identity };
        for n in 0..self.sizes.size {
            let bit = self.b.bits(Ty::I32, 1 << n);
            let bit = self.b.binary(BinOp::And, taking_part, bit);
            let none = self.number(0);
            let takes_part = self.b.compare(CmpOp::INe, bit, none);
            // What a work-item that is not active has is undefined.
            let number = self.number(n);
            let number = self.b.select(takes_part, number, self.own);
            let mut other = self.from(value, number);
            if !again {
                other = self.b.select(takes_part, other, identity);
            }
            all = self.join(op, all, other);
        }
        all
    }

    fn join(&mut self, op: SubgroupOp, a: Value, b: Value) -> Value {
        let ty = self.b.func.ty(a);
        match eval::joining(op) {
            Op::Binary(op) => self.b.binary(op, a, b),
            op => self.b.value(op, [a, b], ty),
        }
    }
}

/// Returns whether a number joined with itself gives that number.
fn is_idempotent(op: SubgroupOp) -> bool {
    match op {
        SubgroupOp::IAdd | SubgroupOp::FAdd | SubgroupOp::IMul | SubgroupOp::FMul | SubgroupOp::Xor => false,
        SubgroupOp::SMin
        | SubgroupOp::UMin
        | SubgroupOp::FMin
        | SubgroupOp::SMax
        | SubgroupOp::UMax
        | SubgroupOp::FMax
        | SubgroupOp::And
        | SubgroupOp::Or => true,
    }
}
