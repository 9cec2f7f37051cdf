//! Computes pointers that differ from an earlier pointer by a constant as that pointer plus the constant.
//!
//! Why: an index of type `int` is extended to 64 bits, scaled and added to a pointer. If the index is a sum, nobody can
//! move its constant after the extension without the knowledge that the sum does not overflow, which no Vulkan
//! driver has. So each of the accesses `a[i * n + j]`, `a[i * n + j + 1]`, … has its own 64-bit arithmetic and its own two
//! registers, although GPUs add constants to addresses for free, and no two of them can be merged.
//! In:  any module, while addresses are pointers.
//! Out: the same pointers. A pointer is a root plus a sum of multiples of values; the sum is exact modulo 2^64. Of
//!      pointers to global, constant or local memory with the same root and the same multiples of values, those
//!      that a first one dominates are computed from it. Unused instructions are left to `dce`.
//!
//! The sign extension of a sum, difference or product is that of the extended operands if the operation is `no_wrap`,
//! or if the lowest bits of one operand are zero where the other, a constant, has its ones.

use crate::hash::HashMap;
use std::collections::BTreeMap;

use super::analysis::facts::facts;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::eval;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{AddressSpace, BinOp, CastOp, Function, Inst, Module, Op, Region, Scalar, Ty, UnOp, Value};

pub const PASS: Pass = Pass {
    name: "share_addresses",
    about: "Computes pointers that differ by constants from one of them.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The longest chain of operations that is followed from a pointer.
const MAX_DEPTH: u32 = 16;

/// The most different values in a sum.
const MAX_TERMS: usize = 8;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= share(func);
    }
    Ok(changed.into())
}

/// How a value takes part in a sum of 64-bit numbers.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Extension {
    /// It has 64 bits.
    None,
    Signed,
    Unsigned,
}

/// A value with its extension to 64 bits.
type Term = (Value, Extension);

/// A pointer as its root plus multiples of values plus a constant, in bytes.
struct Sum {
    root: Value,
    terms: BTreeMap<Term, u64>,
    constant: u64,
}

impl Sum {
    /// Returns the sum that the result of a `PtrAdd` is, or `None` if it has no variable part or too many terms.
    fn of(func: &Function, inst: Inst) -> Option<Sum> {
        let mut sum = Sum {
            root: func.insts[inst].results[0],
            terms: BTreeMap::new(),
            constant: 0,
        };
        for _ in 0..MAX_DEPTH {
            let Some(data) = func.def_inst(sum.root).map(|i| &func.insts[i]) else {
                break;
            };
            if data.op != Op::PtrAdd {
                break;
            }
            sum.root = data.args[0];
            let offset = data.args[1];
            match func.ty(offset) {
                Ty::I64 => sum.add(func, offset, 1, MAX_DEPTH)?,
                _ => sum.add_extended(func, (offset, Extension::Signed), 1, MAX_DEPTH)?,
            }
        }
        sum.terms.retain(|_, times| *times != 0);
        (!sum.terms.is_empty()).then_some(sum)
    }

    /// Adds a multiple of a value as it is.
    fn add_term(&mut self, term: Term, times: u64) -> Option<()> {
        let sum = self.terms.entry(term).or_default();
        *sum = sum.wrapping_add(times);
        (self.terms.len() <= MAX_TERMS).then_some(())
    }

    /// Adds a multiple of a 64-bit number, modulo 2^64.
    fn add(&mut self, func: &Function, value: Value, times: u64, depth: u32) -> Option<()> {
        if let Some(bits) = func.as_bits(value) {
            self.constant = self.constant.wrapping_add(times.wrapping_mul(bits));
            return Some(());
        }
        let Some(data) = func.def_inst(value).map(|i| &func.insts[i]).filter(|_| depth > 0) else {
            return self.add_term((value, Extension::None), times);
        };
        let args = &data.args;
        match data.op {
            Op::Cast(CastOp::SExt) if func.ty(args[0]).scalar != Scalar::Bool => {
                self.add_extended(func, (args[0], Extension::Signed), times, depth - 1)
            }
            Op::Cast(CastOp::ZExt) if func.ty(args[0]).scalar != Scalar::Bool => {
                self.add_extended(func, (args[0], Extension::Unsigned), times, depth - 1)
            }
            Op::Unary(UnOp::INeg) => self.add(func, args[0], times.wrapping_neg(), depth - 1),
            Op::Binary(op) => match parts(func, op, args[0], args[1], times) {
                Some(parts) => parts
                    .into_iter()
                    .flatten()
                    .try_for_each(|(part, times)| self.add(func, part, times, depth - 1)),
                None => self.add_term((value, Extension::None), times),
            },
            _ => self.add_term((value, Extension::None), times),
        }
    }

    /// Adds a multiple of a number that is extended to 64 bits.
    fn add_extended(&mut self, func: &Function, term: Term, times: u64, depth: u32) -> Option<()> {
        let (value, extension) = term;
        let ty = func.ty(value);
        if let Some(bits) = func.as_bits(value) {
            let bits = match extension {
                Extension::Signed => eval::signed(ty.scalar, bits) as u64,
                Extension::None | Extension::Unsigned => bits,
            };
            self.constant = self.constant.wrapping_add(times.wrapping_mul(bits));
            return Some(());
        }
        let data = func.def_inst(value).map(|i| &func.insts[i]);
        let Some((data, &Op::Binary(op))) = data.filter(|_| depth > 0).map(|d| (d, &d.op)) else {
            return self.add_term(term, times);
        };
        let (a, b) = (data.args[0], data.args[1]);
        let is_exact = data.no_wrap && extension == Extension::Signed || does_not_carry(func, op, a, b);
        match parts(func, op, a, b, times).filter(|_| is_exact) {
            Some(parts) => parts
                .into_iter()
                .flatten()
                .try_for_each(|(part, times)| self.add_extended(func, (part, extension), times, depth - 1)),
            None => self.add_term(term, times),
        }
    }
}

/// Returns the multiples of values of which an operation computes the sum, modulo the width of the operands. The product
/// of two values is no such sum.
fn parts(func: &Function, op: BinOp, a: Value, b: Value, times: u64) -> Option<[Option<(Value, u64)>; 2]> {
    let constant = |v: Value| {
        func.as_bits(v)
            .map(|bits| eval::signed(func.ty(v).scalar, bits) as u64)
    };
    let scaled = |v: Value, factor: u64| [Some((v, times.wrapping_mul(factor))), None];
    match op {
        BinOp::IAdd => Some([Some((a, times)), Some((b, times))]),
        BinOp::ISub => Some([Some((a, times)), Some((b, times.wrapping_neg()))]),
        BinOp::IMul => match (constant(a), constant(b)) {
            (_, Some(factor)) => Some(scaled(a, factor)),
            (Some(factor), None) => Some(scaled(b, factor)),
            (None, None) => None,
        },
        BinOp::Shl if func.ty(a) == Ty::I64 => {
            let count = func.as_bits(b).filter(|&n| n < 64)?;
            Some(scaled(a, 1 << count))
        }
        _ => None,
    }
}

/// Returns whether an operation adds a constant to a number of which all bits that are set in the constant are zero, and
/// the constant is not negative. Such a sum neither carries nor changes its sign.
fn does_not_carry(func: &Function, op: BinOp, a: Value, b: Value) -> bool {
    let Some(constant) = func.as_bits(b).filter(|_| op == BinOp::IAdd) else {
        return false;
    };
    let most = func.ty(a).scalar.bits() - 1;
    constant >> facts(func, a).trailing_zeros().min(most) == 0
}

/// What pointers that differ by constants have in common: the root and the terms.
type Key = (Value, Vec<(Term, u64)>);

/// A pointer from which others can be computed.
struct Base {
    pointer: Value,
    constant: u64,
    region: Region,
}

/// Rewrites the pointers of a function, and returns whether there were any to rewrite.
fn share(func: &mut Function) -> bool {
    let parents = Parents::new(func);
    let mut bases: HashMap<Key, Base> = HashMap::default();
    let mut changed = false;
    let mut walk = Walk::new(func);
    while let Some((region, inst)) = walk.next(func) {
        let Some(sum) = is_candidate(func, inst).then(|| Sum::of(func, inst)).flatten() else {
            continue;
        };
        let key = (sum.root, sum.terms.into_iter().collect());
        let base = bases
            .get(&key)
            .filter(|base| is_inside(&parents, region, base.region));
        let Some(base) = base else {
            let pointer = func.insts[inst].results[0];
            let constant = sum.constant;
            bases.insert(
                key,
                Base {
                    pointer,
                    constant,
                    region,
                },
            );
            continue;
        };
        let pointer = base.pointer;
        let difference = func.splat_bits(Ty::I64, sum.constant.wrapping_sub(base.constant));
        let data = &mut func.insts[inst];
        if data.args[..] != [pointer, difference] {
            data.args = [pointer, difference].into();
            changed = true;
        }
    }
    changed
}

/// Returns whether an instruction computes a pointer to memory with 64-bit addresses or that all work-items share.
fn is_candidate(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let space = data.results.first().and_then(|&r| func.ty(r).space());
    let shared = matches!(
        space,
        Some(AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local)
    );
    data.op == Op::PtrAdd && shared
}

/// Returns whether a region is another region or is nested in it.
fn is_inside(parents: &Parents, region: Region, outer: Region) -> bool {
    let mut at = Some(region);
    while let Some(region) = at {
        if region == outer {
            return true;
        }
        at = parents.owner(region).and_then(|inst| parents.region(inst));
    }
    false
}
