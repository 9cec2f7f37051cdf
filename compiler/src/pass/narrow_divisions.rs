//! Divides 64-bit numbers as 32-bit numbers where both are small.
//!
//! Why: `get_group_id(0) / n` is a division of 64 bits, for which GPUs execute about a hundred instructions; one of 32 bits takes
//! twenty. The numbers are nearly always small. LLVM does the same for such devices (`BypassSlowDivision`).
//! In:  scalar integers, after all passes that replicate loops.
//! Out: a division of 64-bit numbers, or a remainder, both of which are below 2 to the power of 32 in any case, is one of 32 bits.
//!      If that is not known, and the divisor is no constant, the device decides by a branch. A quotient and a remainder of
//!      the same numbers in one region come from one division.

use super::analysis::facts::facts;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Inst, Module, Op, Ty, Value};

pub const PASS: Pass = Pass {
    name: "narrow_divisions",
    about: "Divides 64-bit numbers as 32-bit numbers where both are small.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The most branches in a function, because each has both forms of the division.
const MOST_BRANCHES: usize = 64;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= narrow(func);
    }
    Ok(changed.into())
}

/// Replaces the divisions of a function, and returns whether there were any.
fn narrow(func: &mut Function) -> bool {
    let mut replacements = Replacements::default();
    let mut branches = 0;
    let mut changed = false;
    for region in func.regions_in_order() {
        let insts = &func.regions[region].insts;
        let divisions: Vec<(Inst, Division)> = insts
            .iter()
            .filter_map(|&i| Some((i, Division::new(func, i, branches < MOST_BRANCHES)?)))
            .collect();
        if divisions.is_empty() {
            continue;
        }
        branches += divisions.iter().filter(|(_, d)| d.checks.is_some()).count();
        changed = true;
        let mut known: Vec<(Division, [Option<Value>; 2])> = Vec::new();
        let mut next = divisions.iter().peekable();
        for inst in std::mem::take(&mut func.regions[region].insts) {
            let Some((_, division)) = next.next_if(|(i, _)| *i == inst) else {
                func.regions[region].insts.push(inst);
                continue;
            };
            let found = known.iter().find(|(d, _)| d.is_same(division));
            let results = match found {
                Some((_, results)) => *results,
                None => {
                    let same = || divisions.iter().filter(|(_, d)| d.is_same(division));
                    let wanted = [false, true].map(|rest| same().any(|(_, d)| d.is_rest == rest));
                    let mut b = Builder::at_end(func, region);
                    b.span = b.func.insts[inst].span;
                    let results = division.emit(&mut b, wanted);
                    known.push((*division, results));
                    results
                }
            };
            if let Some(value) = results[usize::from(division.is_rest)] {
                replacements.set(func.insts[inst].results[0], value);
            }
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// A division of 64-bit numbers.
#[derive(Copy, Clone)]
struct Division {
    args: [Value; 2],
    is_signed: bool,
    /// Whether the remainder is wanted.
    is_rest: bool,
    /// Which of the numbers the device must compare, if any.
    checks: Option<[bool; 2]>,
}

impl Division {
    /// Returns the division that an instruction is, if it can be done in another way.
    fn new(func: &Function, inst: Inst, may_branch: bool) -> Option<Division> {
        let data = &func.insts[inst];
        let Op::Binary(op) = data.op else { return None };
        let (is_signed, is_rest) = match op {
            BinOp::UDiv => (false, false),
            BinOp::URem => (false, true),
            BinOp::SDiv => (true, false),
            BinOp::SRem => (true, true),
            _ => return None,
        };
        let args = [data.args[0], data.args[1]];
        if func.ty(args[0]) != Ty::I64 {
            return None;
        }
        let known = args.map(|a| facts(func, a));
        let small = u64::from(u32::MAX);
        let is_large = known.iter().any(|f| f.min() > small);
        let checks = known.map(|f| f.max() > small);
        let is_branch = checks.contains(&true);
        if is_large || is_branch && (!may_branch || func.as_bits(args[1]).is_some()) {
            return None;
        }
        Some(Division {
            args,
            is_signed,
            is_rest,
            checks: is_branch.then_some(checks),
        })
    }

    /// Returns whether another division has the same numbers.
    fn is_same(&self, other: &Division) -> bool {
        self.args == other.args && self.is_signed == other.is_signed
    }

    /// Inserts the division, and returns the quotient and the remainder, those that are wanted.
    fn emit(&self, b: &mut Builder<'_>, wanted: [bool; 2]) -> [Option<Value>; 2] {
        let Some(checks) = self.checks else {
            return self.small(b, wanted);
        };
        let [x, y] = self.args;
        let all = match checks {
            [true, true] => b.binary(BinOp::Or, x, y),
            [true, false] => x,
            [false, _] => y,
        };
        let half = b.bits(Ty::I64, 32);
        let high = b.binary(BinOp::LShr, all, half);
        let zero = b.zero(Ty::I64);
        let is_small = b.compare(CmpOp::IEq, high, zero);
        let types = vec![Ty::I64; wanted.iter().filter(|w| **w).count()];
        let branch = b.insert(Op::If, [is_small], &types);
        for is_small in [true, false] {
            let arm = b.func.new_region(&[]);
            b.func.insts[branch].regions.push(arm);
            b.enter(arm);
            let results = match is_small {
                true => self.small(b, wanted),
                false => self.large(b, wanted),
            };
            let values: Vec<Value> = results.into_iter().flatten().collect();
            b.insert(Op::Exit(branch), values, &[]);
            b.leave();
        }
        let mut results = b.func.insts[branch].results.clone().into_iter();
        wanted.map(|w| if w { results.next() } else { None })
    }

    /// The division of the low words.
    fn small(&self, b: &mut Builder<'_>, wanted: [bool; 2]) -> [Option<Value>; 2] {
        let [x, y] = self.args.map(|a| b.cast(CastOp::Trunc, a, Ty::I32));
        self.results(b, wanted, [BinOp::UDiv, BinOp::URem], x, y)
            .map(|v| v.map(|v| b.cast(CastOp::ZExt, v, Ty::I64)))
    }

    /// The division of the whole numbers.
    fn large(&self, b: &mut Builder<'_>, wanted: [bool; 2]) -> [Option<Value>; 2] {
        let [x, y] = self.args;
        let ops = match self.is_signed {
            true => [BinOp::SDiv, BinOp::SRem],
            false => [BinOp::UDiv, BinOp::URem],
        };
        self.results(b, wanted, ops, x, y)
    }

    fn results(
        &self,
        b: &mut Builder<'_>,
        wanted: [bool; 2],
        [divide, rest]: [BinOp; 2],
        x: Value,
        y: Value,
    ) -> [Option<Value>; 2] {
        if !wanted[0] {
            return [None, Some(b.binary(rest, x, y))];
        }
        let quotient = b.binary(divide, x, y);
        let remainder = wanted[1].then(|| {
            let product = b.binary(BinOp::IMul, quotient, y);
            b.binary(BinOp::ISub, x, product)
        });
        [Some(quotient), remainder]
    }
}
