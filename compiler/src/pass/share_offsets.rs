//! Computes the addresses of accesses to work-group memory from common sums plus constants.
//!
//! Why: after unrolling and hoisting, `tile[d][y + 16 * i]` for eight `i` has eight sums before the loop and
//! eight additions in it, although GPUs add constants to addresses of work-group memory for free.
//! In:  after `lower_memory`, where such addresses are 32-bit indices.
//! Out: the same indices. In each region, indices that are the same sum of values plus different constants
//!      are computed as this sum, once, plus the constant. All arithmetic is modulo 2^32, as before. Unused
//!      instructions are left to `dce`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Changed, Pass, PassCx, PassError};
use crate::hash::{HashMap, ordered};
use crate::inv;
use crate::ir::{BinOp, Function, Inst, Module, Op, Region, Storage, Ty, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "share_offsets",
    about: "Computes addresses in work-group memory that differ by constants from common sums.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

/// The longest chain of operations that is followed from an index.
const MAX_DEPTH: u32 = 8;

/// The most values that a sum may have.
const MAX_TERMS: usize = 6;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        for region in func.regions_in_order() {
            changed |= share(func, region);
        }
    }
    Ok(changed.into())
}

/// An index as a sum of multiples of values and a constant.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<Value, u32>,
    constant: u32,
}

impl Sum {
    /// Returns the sum that an index is, or `None` if it has too many terms.
    fn of(func: &Function, index: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add(func, index, 1, MAX_DEPTH)?;
        Some(sum)
    }

    /// Adds a multiple of a value.
    fn add(&mut self, func: &Function, value: Value, times: u32, depth: u32) -> Option<()> {
        if let Some(bits) = func.as_bits(value) {
            self.constant = self.constant.wrapping_add(times.wrapping_mul(bits as u32));
            return Some(());
        }
        let data = func.def_inst(value).map(|i| &func.insts[i]);
        if let Some(data) = data.filter(|_| depth > 0)
            && let Op::Binary(op) = data.op
        {
            let (a, b) = (data.args[0], data.args[1]);
            let constant = |v: Value| func.as_bits(v).map(|bits| bits as u32);
            let scaled = match op {
                BinOp::IAdd | BinOp::ISub => {
                    self.add(func, a, times, depth - 1)?;
                    let sign = if op == BinOp::IAdd {
                        times
                    } else {
                        times.wrapping_neg()
                    };
                    return self.add(func, b, sign, depth - 1);
                }
                BinOp::IMul => constant(b).map(|c| (a, c)).or(constant(a).map(|c| (b, c))),
                BinOp::Shl => constant(b).filter(|&c| c < 32).map(|c| (a, 1 << c)),
                _ => None,
            };
            if let Some((operand, factor)) = scaled {
                return self.add(func, operand, times.wrapping_mul(factor), depth - 1);
            }
        }
        let term = self.terms.entry(value).or_default();
        *term = term.wrapping_add(times);
        (self.terms.len() <= MAX_TERMS).then_some(())
    }
}

/// The accesses whose indices are the same sum of values, each with its constant, in the order of the text.
type Group = Vec<(Inst, u32)>;

/// Rewrites the accesses of a region, and returns whether there were any to rewrite.
fn share(func: &mut Function, region: Region) -> bool {
    let mut groups: BTreeMap<Vec<(Value, u32)>, Group> = BTreeMap::new();
    for &inst in &func.regions[region].insts {
        let data = &func.insts[inst];
        if !is_access(&data.op) || func.ty(data.args[0]) != Ty::I32 {
            continue;
        }
        if let Some(sum) = Sum::of(func, data.args[0]) {
            let terms: Vec<_> = sum.terms.into_iter().filter(|&(_, times)| times != 0).collect();
            if !terms.is_empty() {
                groups.entry(terms).or_default().push((inst, sum.constant));
            }
        }
    }
    if groups.is_empty() {
        return false;
    }
    let own: BTreeSet<Inst> = ordered(func.regions[region].insts.iter().copied());
    let mut ahead = HashMap::default();
    for (terms, group) in groups {
        if group.iter().all(|&(_, c)| c == group[0].1) {
            continue;
        }
        // Values that change in the region come last, so that the sum of the others can move out of loops.
        let changes = |&(value, _): &(Value, u32)| is_of(func, region, &own, value);
        let (last, mut terms): (Vec<_>, Vec<_>) = terms.into_iter().partition(changes);
        terms.extend(last);
        rewrite(func, &terms, &group, &mut ahead);
    }
    func.insert_ahead(region, &ahead)
}

/// Returns whether an operation accesses work-group memory.
fn is_access(op: &Op) -> bool {
    matches!(
        op,
        Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..), _)
            | Op::StoreTo(Storage::Arena(_) | Storage::Shared(..), _)
            | Op::AtomicOn(_, Storage::Arena(_) | Storage::Shared(..))
    )
}

/// Inserts the sum before the first access, where all of its values are defined, and rewrites all accesses to
/// use it.
fn rewrite(func: &mut Function, terms: &[(Value, u32)], group: &Group, ahead: &mut HashMap<Inst, Vec<Inst>>) {
    let mut binary = |func: &mut Function, access: Inst, op: BinOp, a: Value, b: Value| {
        let inst = func.new_inst(Op::Binary(op), [a, b], &[Ty::I32], func.insts[access].span);
        ahead.entry(access).or_default().push(inst);
        func.insts[inst].results[0]
    };
    let first = group[0].0;
    let mut base = None;
    for &(value, times) in terms {
        let difference = base.filter(|_| times == u32::MAX);
        let term = if times == 1 || difference.is_some() {
            value
        } else {
            let times = func.splat_bits(Ty::I32, u64::from(times));
            binary(func, first, BinOp::IMul, value, times)
        };
        base = Some(match (base, difference) {
            (_, Some(sum)) => binary(func, first, BinOp::ISub, sum, term),
            (Some(sum), None) => binary(func, first, BinOp::IAdd, sum, term),
            (None, None) => term,
        });
    }
    let Some(base) = base else { return };
    for &(access, constant) in group {
        func.insts[access].args[0] = match constant {
            0 => base,
            _ => {
                let constant = func.splat_bits(Ty::I32, u64::from(constant));
                binary(func, access, BinOp::IAdd, base, constant)
            }
        };
    }
}

/// Returns whether a value is an argument of the region or is computed by the region itself.
fn is_of(func: &Function, region: Region, own: &BTreeSet<Inst>, value: Value) -> bool {
    match func.values[value].def {
        ValueDef::Const(_) | ValueDef::Param(_) => false,
        ValueDef::Arg(of, _) => of == region,
        ValueDef::Inst(inst, _) => own.contains(&inst),
    }
}
