//! Simplifies structured control flow.
//!
//! In, out: any module. Until nothing changes (each round is linear):
//! - `if` and `switch` on constants become blocks of the region taken; loops that are never repeated, blocks;
//! - blocks that are left nowhere but at the end dissolve into the region around them;
//! - what follows an instruction that never completes is cut off;
//! - results and loop arguments that are always the same value are that value;
//! - an `if` whose arms only compute a few cheap values becomes selects;
//! - where one arm of an `if` leaves an enclosing block, the code behind the `if` moves into the other arm, and
//!   a block that ends in such an `if` is that `if`: an early return becomes an else.

use super::analysis::{Jumps, is_pure};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{
    BinOp, Const, EntityRef, Function, Inst, Module, Op, Region, Ty, Unroll, Value, ValueDef, ValueList,
};

pub const PASS: Pass = Pass {
    name: "simplify_regions",
    about: "Dissolves blocks and constant branches, turns small branches into selects and early exits into else.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// Rounds per execution; what is left then, the next execution finds.
const MAX_ROUNDS: usize = 64;

/// Instructions in both arms of an `if` that becomes selects.
const MAX_SPECULATED: usize = 6;

/// Nesting beyond which code is not moved into arms.
const MAX_DEPTH: usize = 48;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, simplify(func));
        }
    }
    Ok(changed.into())
}

/// Does all of it in one function.
pub(super) fn simplify(func: &mut Function) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let (folded, jumps) = fold_with(func);
        // Nothing has to be known twice: each step is done with what is known if it changes anything.
        let known = Known::new(func, jumps);
        let again = unify(func, &known)
            || if_to_select(func, &known)
            || nest_tails(func, &known)
            || merge_tails(func, known);
        if !folded && !again {
            break;
        }
        changed = true;
    }
    changed
}

/// Gets rid of blocks that are left early, where that takes no more than rearranging `if`s.
pub(super) fn early_exits_to_else(func: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let (folded, jumps) = fold_with(func);
        let known = Known::new(func, jumps);
        if !nest_tails(func, &known) && !merge_tails(func, known) && !folded {
            break;
        }
    }
}

/// Dissolves what is no real control flow, and cuts off what is never reached.
pub(super) fn fold(func: &mut Function) -> bool {
    fold_with(func).0
}

/// The same; and the jumps afterwards, if they did not change.
fn fold_with(func: &mut Function) -> (bool, Option<Jumps>) {
    let jumps = Jumps::new(func);
    let mut replacements = Replacements::default();
    let mut changed = false;
    for region in func.regions_in_order().into_iter().rev() {
        let has_inner = |&i: &Inst| func.insts[i].op.is_structured();
        if !func.regions[region].insts.iter().any(has_inner) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut new = Vec::with_capacity(old.len());
        for (n, &inst) in old.iter().enumerate() {
            changed |= to_block(func, &jumps, inst, &mut replacements);
            if func.insts[inst].op == Op::Block && dissolve(func, &jumps, inst, &mut new, &mut replacements) {
                changed = true;
            } else {
                new.push(inst);
                let is_cut = |&next: &Inst| func.insts[next].op == Op::Unreachable;
                let never_completes = func.insts[inst].op.is_structured() && jumps.exits(inst).is_empty();
                if never_completes && !old.get(n + 1).is_some_and(is_cut) {
                    let span = func.insts[inst].span;
                    new.push(func.new_inst(Op::Unreachable, vec![], &[], span));
                }
            }
            if new
                .last()
                .is_some_and(|&last| func.insts[last].op.is_terminator())
            {
                changed |= n + 1 != old.len();
                break;
            }
        }
        func.regions[region].insts = new;
    }
    replacements.apply(func);
    (changed, (!changed).then_some(jumps))
}

/// Branches on constants and loops that do not loop.
fn to_block(func: &mut Function, jumps: &Jumps, inst: Inst, replacements: &mut Replacements) -> bool {
    let data = &func.insts[inst];
    let taken = match &data.op {
        Op::If => match func.as_const(data.args[0]) {
            Some(Const::Bits(bits)) => data.regions[usize::from(bits[0] == 0)],
            Some(Const::Undef) => data.regions[1],
            None => return false,
        },
        Op::Switch(cases) => match func.as_const(data.args[0]) {
            Some(Const::Bits(bits)) => {
                let default = data.regions.len() - 1;
                let case = cases.iter().position(|c| c.contains(&bits[0]));
                data.regions[case.unwrap_or(default)]
            }
            Some(Const::Undef) => data.regions[data.regions.len() - 1],
            None => return false,
        },
        Op::Loop if jumps.repeats(inst).is_empty() => {
            let body = data.regions[0];
            let args = std::mem::take(&mut func.regions[body].args);
            for (arg, &init) in args.into_iter().zip(&data.args) {
                replacements.set(arg, init);
            }
            body
        }
        _ => return false,
    };
    let data = &mut func.insts[inst];
    data.op = Op::Block;
    data.unroll = Unroll::Unsaid;
    data.args.clear();
    data.regions = vec![taken];
    true
}

/// Appends a block's instructions to `out` if it is left at its end or never; with the terminator if it is
/// another one's.
fn dissolve(
    func: &mut Function,
    jumps: &Jumps,
    block: Inst,
    out: &mut Vec<Inst>,
    replacements: &mut Replacements,
) -> bool {
    let body = func.insts[block].regions[0];
    let Some(end) = func.terminator(body) else {
        return false;
    };
    let ends_block = func.insts[end].op == Op::Exit(block);
    let exits = jumps.exits(block);
    if exits.iter().any(|&e| e != end) {
        return false;
    }
    let mut insts = std::mem::take(&mut func.regions[body].insts);
    if ends_block {
        insts.pop();
        let results = func.insts[block].results.clone();
        for (&result, &value) in results.iter().zip(&func.insts[end].args) {
            replacements.set(result, value);
        }
    }
    out.extend(insts);
    true
}

/// The order of instructions in the text, and the last one inside each.
struct Order {
    list: Vec<Inst>,
    at: Vec<u32>,
    last: Vec<u32>,
    owner: Vec<Option<Inst>>,
}

impl Order {
    fn new(func: &Function) -> Self {
        let mut order = Order {
            list: Vec::new(),
            at: vec![u32::MAX; func.insts.len()],
            last: vec![0; func.insts.len()],
            owner: vec![None; func.regions.len()],
        };
        let list = func.insts_in_order();
        for (n, &inst) in list.iter().enumerate() {
            order.at[inst.index()] = n as u32;
            order.last[inst.index()] = n as u32;
            for &r in &func.insts[inst].regions {
                order.owner[r.index()] = Some(inst);
            }
        }
        for &inst in list.iter().rev() {
            for &r in &func.insts[inst].regions {
                if let Some(&end) = func.regions[r].insts.last() {
                    order.last[inst.index()] = order.last[inst.index()].max(order.last[end.index()]);
                }
            }
        }
        order.list = list;
        order
    }
    /// Whether `inst` is `outer` or inside of it.
    fn contains(&self, outer: Inst, inst: Inst) -> bool {
        let at = self.at[inst.index()];
        at != u32::MAX && self.at[outer.index()] <= at && at <= self.last[outer.index()]
    }
    /// Whether a value is defined outside of an instruction (not by it either).
    fn is_outside(&self, func: &Function, value: Value, inst: Inst) -> bool {
        match func.values[value].def {
            ValueDef::Const(_) | ValueDef::Param(_) => true,
            ValueDef::Inst(def, _) => !self.contains(inst, def),
            ValueDef::Arg(region, _) => self.owner[region.index()].is_some_and(|o| !self.contains(inst, o)),
        }
    }
}

/// What the steps want to know of a function.
struct Known {
    jumps: Jumps,
    order: Order,
    /// Regions, outer ones first.
    regions: Vec<Region>,
    /// Structured instructions in the order of the text.
    structured: Vec<Inst>,
}

impl Known {
    fn new(func: &Function, jumps: Option<Jumps>) -> Self {
        let order = Order::new(func);
        let structured = order.list.iter().copied();
        let structured = structured.filter(|&i| func.insts[i].op.is_structured()).collect();
        Known {
            jumps: jumps.unwrap_or_else(|| Jumps::new(func)),
            order,
            regions: func.regions_in_order(),
            structured,
        }
    }
}

/// Results and loop arguments that are always the same value.
fn unify(func: &mut Function, known: &Known) -> bool {
    let Known { jumps, order, .. } = known;
    let mut replacements = Replacements::default();
    let mut dropped = false;
    // Inner ones before outer ones, earlier before later: what is found of one, the next ones use in the same round.
    let mut inner_first = known.structured.clone();
    inner_first.sort_by_key(|i| (order.last[i.index()], std::cmp::Reverse(order.at[i.index()])));
    for inst in inner_first {
        for n in 0..func.insts[inst].results.len() {
            let passed = jumps.exits(inst).iter().map(|&e| func.insts[e].args[n]);
            let result = func.insts[inst].results[n];
            if let Some(v) = same(func, passed, result, &mut replacements)
                && order.is_outside(func, v, inst)
            {
                replacements.set(result, v);
                dropped = true;
            }
        }
    }
    for &inst in &known.structured {
        if func.insts[inst].op != Op::Loop {
            continue;
        }
        let body = func.insts[inst].regions[0];
        for n in 0..func.regions[body].args.len() {
            let arg = func.regions[body].args[n];
            let init = func.insts[inst].args[n];
            let repeats = jumps.repeats(inst).iter().map(|&r| func.insts[r].args[n]);
            let passed = std::iter::once(init).chain(repeats);
            if same(func, passed, arg, &mut replacements).is_some_and(|v| v == replacements.get(init)) {
                replacements.set(arg, init);
                dropped = true;
            }
        }
    }
    if !dropped {
        return false;
    }
    replacements.apply(func);
    // Whether anything but the dead result itself used it, `dce` knows; it also removes it.
    super::dce::remove_dead(func);
    true
}

/// The one value that all are, apart from `itself` and undefined ones.
fn same(
    func: &Function,
    values: impl Iterator<Item = Value>,
    itself: Value,
    replacements: &mut Replacements,
) -> Option<Value> {
    let mut one = None;
    let mut undef = None;
    for v in values {
        let v = replacements.get(v);
        if v == itself {
            continue;
        }
        if func.as_const(v) == Some(&Const::Undef) {
            undef = Some(v);
        } else if *one.get_or_insert(v) != v {
            return None;
        }
    }
    one.or(undef)
}

/// `if` instructions whose arms compute little and have no effects.
fn if_to_select(func: &mut Function, known: &Known) -> bool {
    let jumps = &known.jumps;
    if !known
        .structured
        .iter()
        .any(|&i| func.insts[i].op == Op::If && is_speculatable(func, jumps, i))
    {
        return false;
    }
    let mut changed = false;
    let mut replacements = Replacements::default();
    for region in func.regions_in_order().into_iter().rev() {
        let flat = |i: &Inst| func.insts[*i].op == Op::If && is_speculatable(func, jumps, *i);
        if !func.regions[region].insts.iter().any(flat) {
            continue;
        }
        changed = true;
        let old = std::mem::take(&mut func.regions[region].insts);
        for inst in old {
            if func.insts[inst].op != Op::If || !is_speculatable(func, jumps, inst) {
                func.regions[region].insts.push(inst);
                continue;
            }
            let cond = func.insts[inst].args[0];
            let span = func.insts[inst].span;
            let mut passed = [ValueList::new(), ValueList::new()];
            for (arm, passed) in passed.iter_mut().enumerate() {
                let body = func.insts[inst].regions[arm];
                let mut insts = std::mem::take(&mut func.regions[body].insts);
                let end = insts.pop().expect("speculatable: the arm has a terminator");
                *passed = func.insts[end].args.clone();
                func.regions[region].insts.extend(insts);
            }
            let [then, otherwise] = passed;
            for (n, (a, b)) in then.into_iter().zip(otherwise).enumerate() {
                let result = func.insts[inst].results[n];
                if a == b {
                    replacements.set(result, a);
                    continue;
                }
                let ty = func.ty(result);
                let select = func.new_inst(Op::Select, vec![cond, a, b], &[ty], span);
                func.regions[region].insts.push(select);
                replacements.set(result, func.insts[select].results[0]);
            }
        }
    }
    replacements.apply(func);
    changed
}

fn is_speculatable(func: &Function, jumps: &Jumps, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if jumps.exits(inst).len() != 2 {
        return false;
    }
    // Handles cannot be selected.
    let storable = |&r: &Value| func.ty(r).bytes() > 0 || func.ty(r).scalar == Ty::BOOL.scalar;
    if !data.results.iter().all(storable) {
        return false;
    }
    let mut total = data.results.len();
    for &arm in &data.regions {
        let Some((&end, insts)) = func.regions[arm].insts.split_last() else {
            return false;
        };
        if func.insts[end].op != Op::Exit(inst) || !insts.iter().all(|&i| is_cheap(func, i)) {
            return false;
        }
        total += insts.len();
    }
    total <= MAX_SPECULATED
}

fn is_cheap(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    // Undefined for some operands, which the condition may be there to exclude.
    let is_partial = matches!(
        data.op,
        Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem)
            | Op::ExtractDynamic
            | Op::InsertDynamic
    );
    is_pure(data) && !is_partial && !matches!(data.op, Op::Intrinsic(_) | Op::CallPure(_))
}

/// Where one arm of an `if` leaves an enclosing block, moves the code behind the `if` into the other arm.
fn nest_tails(func: &mut Function, known: &Known) -> bool {
    // The order stays true enough: what is inside of an `if` stays inside.
    let Known { jumps, order, .. } = known;
    if !known
        .structured
        .iter()
        .any(|&i| arm_that_goes_on(func, jumps, i).is_some())
    {
        return false;
    }
    let regions = &known.regions;
    let depth = depths(func, regions);
    let mut height = vec![0usize; func.regions.len()];
    let mut replacements = Replacements::default();
    let mut changed = false;
    for &region in regions.iter().rev() {
        let mut tail_height = 0;
        for n in (0..func.regions[region].insts.len()).rev() {
            let inst = func.regions[region].insts[n];
            let own = func.insts[inst]
                .regions
                .iter()
                .map(|r| height[r.index()] + 1)
                .max();
            tail_height = tail_height.max(own.unwrap_or(0));
            let Some(arm) = arm_that_goes_on(func, jumps, inst) else {
                continue;
            };
            if depth[region.index()] + tail_height + 1 > MAX_DEPTH {
                continue;
            }
            if let [end] = func.regions[region].insts[n + 1..]
                && let Op::Exit(target) = func.insts[end].op
            {
                // Gains something only if the other arm goes there too, and `merge_tails` cannot tell.
                let goes_there = jumps.exits(target).iter().any(|&e| order.contains(inst, e));
                if !goes_there || func.insts[end].args == func.insts[inst].results {
                    continue;
                }
            }
            let tail = func.regions[region].insts.split_off(n + 1);
            let exit = func.regions[arm].insts.pop().expect("the arm ends in an exit");
            for i in 0..func.insts[inst].results.len() {
                let (result, value) = (func.insts[inst].results[i], func.insts[exit].args[i]);
                replacements.set(result, value);
            }
            func.insts[inst].results.clear();
            func.regions[arm].insts.extend(tail);
            let span = func.insts[inst].span;
            let unreachable = func.new_inst(Op::Unreachable, vec![], &[], span);
            func.regions[region].insts.push(unreachable);
            tail_height += 1;
            changed = true;
        }
        height[region.index()] = tail_height;
    }
    replacements.apply(func);
    changed
}

fn depths(func: &Function, regions: &[Region]) -> Vec<usize> {
    let mut depth = vec![0; func.regions.len()];
    for &region in regions {
        for &inst in &func.regions[region].insts {
            for &r in &func.insts[inst].regions {
                depth[r.index()] = depth[region.index()] + 1;
            }
        }
    }
    depth
}

/// Of an `if` with one arm that ends by leaving a block (or another `if`) and another that goes on behind the `if`:
/// the latter.
fn arm_that_goes_on(func: &Function, jumps: &Jumps, inst: Inst) -> Option<Region> {
    if func.insts[inst].op != Op::If {
        return None;
    }
    let &[exit] = jumps.exits(inst) else {
        return None;
    };
    let &[a, b] = &func.insts[inst].regions[..] else {
        return None;
    };
    let (end_a, end_b) = (func.terminator(a)?, func.terminator(b)?);
    let (arm, other) = if end_a == exit { (a, end_b) } else { (b, end_a) };
    if func.terminator(arm) != Some(exit) {
        return None;
    }
    match func.insts[other].op {
        Op::Exit(target) if matches!(func.insts[target].op, Op::Block | Op::If) => Some(arm),
        // An arm that was treated like this before.
        Op::Unreachable => {
            let insts = &func.regions[if arm == a { b } else { a }].insts;
            let before = insts.len().checked_sub(2).map(|n| insts[n])?;
            (func.insts[before].op == Op::If).then_some(arm)
        }
        _ => None,
    }
}

/// Where an `if` or `switch` stands at the end of a region and only what it is left for comes behind, lets what
/// inside of it goes there too go through it:
/// - behind it is `Unreachable`, and inside are exits of the region's owner: it completes instead, and the
///   owner is left from behind it;
/// - behind it is an exit that passes its very results, and inside are other exits of that target.
///
/// Targets are blocks, `if`s and, in the first case, `switch`es: loops can be left from inside as it is.
fn merge_tails(func: &mut Function, known: Known) -> bool {
    let Known {
        mut jumps,
        order,
        regions,
        ..
    } = known;
    let mut changed = false;
    for region in regions {
        let &[.., last, end] = &func.regions[region].insts[..] else {
            continue;
        };
        if !matches!(func.insts[last].op, Op::If | Op::Switch(_)) {
            continue;
        }
        let (target, completes) = match func.insts[end].op {
            Op::Unreachable if jumps.exits(last).is_empty() => (order.owner[region.index()], false),
            Op::Exit(target) if func.insts[end].args == func.insts[last].results => (Some(target), true),
            _ => continue,
        };
        let Some(target) = target else {
            continue;
        };
        match func.insts[target].op {
            Op::Block | Op::If => {}
            Op::Switch(_) if !completes => {}
            _ => continue,
        }
        let (inside, mut outside): (Vec<Inst>, Vec<Inst>) = jumps
            .exits(target)
            .iter()
            .partition(|&&e| order.contains(last, e));
        if inside.is_empty() {
            continue;
        }
        changed = true;
        for &exit in &inside {
            func.insts[exit].op = Op::Exit(last);
        }
        if completes {
            let all = [jumps.exits(last), &inside].concat();
            jumps.set_exits(last, all);
        } else {
            func.insts[last].results.clear();
            let types: Vec<Ty> = func.insts[target].results.iter().map(|&r| func.ty(r)).collect();
            let results = types.into_iter().map(|ty| func.add_result(last, ty)).collect();
            func.insts[end].op = Op::Exit(target);
            func.insts[end].args = results;
            outside.push(end);
            jumps.set_exits(last, inside);
        }
        jumps.set_exits(target, outside);
    }
    changed
}
