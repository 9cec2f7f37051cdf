//! Computes before a branch what several of its arms compute.
//!
//! Why: programs move a block of data by a distance that is known only when the kernel runs with
//! `switch (n) { case 0: d = f(c, d); c = f(b, c); b = f(a, b); break; case 1: d = f(b, c); c = f(a, b); break; … }`. The
//! arms compute the same few values, and differ in where they put them. There are hundreds of copies of each
//! computation, and work-items of one sub-group that take different arms execute them one after the other.
//! In:  any module; most effective after `simplify_regions`, because only instructions directly in the arms are merged.
//! Out: a computation without effects that all arms of an `if` or `switch` contain is before it. So is one that only
//!      some arms of a `switch` contain, if most arms need most of these computations.
//!
//! Inner branches come first, so that what leaves them can leave the outer ones, too.

use super::simplify_regions::is_cheap;
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::{HashMap, HashSet};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{FpFlags, Function, Inst, Module, Op, Ty, Value};

pub const PASS: Pass = Pass {
    name: "hoist_common",
    about: "Computes before a branch what several of its arms compute.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The most values that are kept in registers over a branch because their computations have left its arms.
const MAX_VALUES: usize = 64;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= hoist(func);
    }
    Ok(changed.into())
}

/// Moves computations of a function, and returns whether there were any.
fn hoist(func: &mut Function) -> bool {
    let mut replacements = Replacements::default();
    let mut changed = false;
    for region in func.regions_in_order().into_iter().rev() {
        let is_branch = |func: &Function, i: Inst| matches!(func.insts[i].op, Op::If | Op::Switch(_));
        if !func.regions[region].insts.iter().any(|&i| is_branch(func, i)) {
            continue;
        }
        for inst in std::mem::take(&mut func.regions[region].insts) {
            if is_branch(func, inst) {
                let list = computations(func, inst, &mut replacements);
                let moved = choose(&list, func.insts[inst].regions.len());
                changed |= !moved.is_empty();
                let insts = take_out(func, inst, &moved, &mut replacements);
                func.regions[region].insts.extend(insts);
            }
            func.regions[region].insts.push(inst);
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// A computation that arms of a branch contain, and whose operands are computed before the branch or by others of these.
struct Computation {
    /// The equal instructions, those of one arm after each other.
    insts: Vec<Inst>,
    /// The numbers of the arms with such an instruction, in ascending order.
    arms: Vec<usize>,
    /// The operands that are computations of the arms: their indices in the list.
    operands: Vec<usize>,
    /// Whether each of these arms executes it in any case: nothing before it in the arm can leave the arm.
    is_certain: bool,
}

/// What makes instructions equal: the operation, the operands, the type of the result, and the rules of arithmetic.
type Key = (Op, Vec<Value>, Ty, FpFlags);

/// Returns the computations of the arms of a branch, each after its operands.
fn computations(func: &mut Function, branch: Inst, replacements: &mut Replacements) -> Vec<Computation> {
    let mut list: Vec<Computation> = Vec::new();
    let mut index: HashMap<Key, usize> = HashMap::default();
    // For the result of a computation, its index in the list.
    let mut number: HashMap<Value, usize> = HashMap::default();
    for arm in 0..func.insts[branch].regions.len() {
        let region = func.insts[branch].regions[arm];
        // The values of this arm that are no such computations.
        let mut own: HashSet<Value> = HashSet::default();
        let mut is_certain = true;
        for n in 0..func.regions[region].insts.len() {
            let inst = func.regions[region].insts[n];
            replacements.apply_to(func, inst);
            let data = &func.insts[inst];
            if !is_cheap(func, inst) || data.args.iter().any(|a| own.contains(a)) {
                own.extend(data.results.iter().copied());
                is_certain &= data.regions.is_empty();
                continue;
            }
            let result = data.results[0];
            // Equal computations have one name here: the result of the first.
            let name = |v: &Value| {
                number
                    .get(v)
                    .map_or(*v, |&n| func.insts[list[n].insts[0]].results[0])
            };
            let mut args: Vec<Value> = data.args.iter().map(name).collect();
            if matches!(data.op, Op::Binary(op) if op.is_commutative()) {
                args.sort_unstable_by_key(|v| v.0);
            }
            let key = (data.op.clone(), args, func.ty(result), data.fp);
            let operands = data.args.iter().filter_map(|a| number.get(a).copied()).collect();
            let at = *index.entry(key).or_insert(list.len());
            if at == list.len() {
                list.push(Computation {
                    insts: Vec::new(),
                    arms: Vec::new(),
                    operands,
                    is_certain: true,
                });
            }
            list[at].insts.push(inst);
            list[at].is_certain &= is_certain;
            if list[at].arms.last() != Some(&arm) {
                list[at].arms.push(arm);
            }
            number.insert(result, at);
        }
    }
    list
}

/// Returns the computations that are moved before a branch with a number of arms.
fn choose(list: &[Computation], arms: usize) -> Vec<&Computation> {
    let shared: Vec<bool> = list.iter().map(|c| c.arms.len() > 1).collect();
    let everywhere: Vec<bool> = list.iter().map(|c| c.arms.len() == arms).collect();
    let chosen = match is_mostly_needed(list, &shared, arms) {
        true => shared,
        false => everywhere,
    };
    // Operands of chosen computations are in the same arms, so they are chosen, too.
    let mut is_operand = vec![false; list.len()];
    let mut moved = Vec::new();
    for (c, _) in list.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
        c.operands.iter().for_each(|&n| is_operand[n] = true);
        moved.push(c);
    }
    let values = chosen
        .iter()
        .zip(&is_operand)
        .filter(|(chosen, operand)| **chosen && !**operand);
    if values.count() > MAX_VALUES {
        moved.clear();
    }
    moved
}

/// Returns whether some arm needs at least four fifths of the chosen computations, and the average arm at least two fifths.
fn is_mostly_needed(list: &[Computation], chosen: &[bool], arms: usize) -> bool {
    let mut needed = vec![0; arms];
    let mut all = 0;
    for (c, _) in list.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        all += 1;
        c.arms.iter().for_each(|&arm| needed[arm] += 1);
    }
    let most = needed.iter().max().copied().unwrap_or_default();
    let sum: usize = needed.iter().sum();
    most * 5 >= all * 4 && sum * 5 >= all * arms * 2
}

/// Removes computations from the arms of a branch, and returns one instruction for each.
fn take_out(
    func: &mut Function,
    branch: Inst,
    moved: &[&Computation],
    replacements: &mut Replacements,
) -> Vec<Inst> {
    let mut gone: HashSet<Inst> = HashSet::default();
    let arms = func.insts[branch].regions.clone();
    let mut insts = Vec::new();
    for c in moved {
        let kept = c.insts[0];
        // Where an arm does not compute it, it may overflow.
        let is_certain = c.arms.len() == arms.len() && c.is_certain;
        let no_wrap = is_certain && c.insts.iter().all(|&i| func.insts[i].no_wrap);
        for &i in &c.insts[1..] {
            replacements.set(func.insts[i].results[0], func.insts[kept].results[0]);
        }
        gone.extend(&c.insts);
        replacements.apply_to(func, kept);
        func.insts[kept].no_wrap = no_wrap;
        insts.push(kept);
    }
    if !gone.is_empty() {
        for region in arms {
            func.regions[region].insts.retain(|i| !gone.contains(i));
        }
    }
    insts
}
