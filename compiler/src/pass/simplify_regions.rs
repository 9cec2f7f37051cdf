//! Simplifies structured control flow.
//!
//! Why: later passes and drivers work best on few nested regions and few early exits.
//! In:  any module.
//! Out: the same, after the following steps have been repeated until nothing changes:
//! - An `if` or `switch` on a constant becomes a block of the region that is taken. A loop without repeats
//!   becomes a block.
//! - A block that is left only at its end dissolves into the region around it.
//! - Instructions after an instruction that never completes are removed.
//! - A result or loop argument that always has the same value is replaced by that value.
//! - An `if` whose arms only compute a few cheap values becomes selects. In any other `if` a result that is a
//!   constant in both arms becomes a select after it, so that a comparison of the result is known to be the condition.
//! - Where one arm of an `if` leaves an enclosing block, the code after the `if` moves into the other arm,
//!   and a block that ends in such an `if` becomes that `if`. Thus an early return becomes an else.
//! - A loop is repeated at the end of its body only, where rearranging its last `if` or `switch` suffices. Where one arm of
//!   an `if` leaves a loop, the code of the other arm moves after the `if`.

mod loop_ends;

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::walk::Replacements;
use crate::ir::{
    BinOp, Const, EntityRef, Function, Inst, Module, Op, Region, Scalar, Ty, Unroll, Value, ValueDef,
    ValueList,
};

pub const PASS: Pass = Pass {
    name: "simplify_regions",
    about: "Dissolves blocks and constant branches, and turns small branches into selects and early exits into else.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The most rounds of one execution; the next execution does the rest.
const MAX_ROUNDS: usize = 64;

/// The most instructions in both arms, and results, of an `if` that becomes selects.
const MAX_SPECULATED: usize = 6;

/// The limit if all of them are simple operations of integers of at most 32 bits. Three nested choices of shifted bits
/// reach it: `n == 0 ? b : n == 1 ? a << 24 | b >> 8 : n == 2 ? a << 16 | b >> 16 : a << 8 | b >> 24`.
const MAX_SPECULATED_WORDS: usize = 16;

/// The nesting depth beyond which code is not moved into arms.
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

/// Simplifies a function, and returns whether anything changed.
pub(super) fn simplify(func: &mut Function) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let (folded, jumps) = fold_with(func);
        // Each step uses the facts only if the steps before it changed nothing, so the facts are computed
        // once per round.
        let known = Known::new(func, jumps);
        let again = unify(func, &known)
            || if_to_select(func, &known)
            || constants_to_select(func, &known.jumps)
            || loop_ends::merge_repeats(func, &known)
            || loop_ends::flatten_tests(func, &known)
            || nest_tails(func, &known)
            || merge_tails(func, known);
        if !folded && !again {
            break;
        }
        changed = true;
    }
    changed
}

/// Removes blocks that are left early, where rearranging `if`s suffices. Returns whether the last round, with
/// [`fold`], changed nothing.
pub(super) fn early_exits_to_else(func: &mut Function) -> bool {
    for _ in 0..MAX_ROUNDS {
        let (folded, jumps) = fold_with(func);
        let known = Known::new(func, jumps);
        if !nest_tails(func, &known) && !merge_tails(func, known) && !folded {
            return true;
        }
    }
    false
}

/// Dissolves constant branches, loops without repeats and blocks, and removes unreachable code. Returns
/// whether anything changed.
pub(super) fn fold(func: &mut Function) -> bool {
    fold_with(func).0
}

/// Does the work of [`fold`]. Also returns the jumps of the function if nothing changed.
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

/// Returns the region that a branch on a constant takes.
pub(super) fn taken_region(func: &Function, inst: Inst) -> Option<Region> {
    let data = &func.insts[inst];
    match &data.op {
        Op::If => match func.as_const(data.args[0])? {
            Const::Bits(bits) => Some(data.regions[usize::from(bits[0] == 0)]),
            Const::Undef => Some(data.regions[1]),
        },
        Op::Switch(cases) => {
            let default = data.regions.len() - 1;
            let case = match func.as_const(data.args[0])? {
                Const::Bits(bits) => cases.iter().position(|c| c.contains(&bits[0])),
                Const::Undef => None,
            };
            Some(data.regions[case.unwrap_or(default)])
        }
        _ => None,
    }
}

/// Turns an instruction into a block if it is a branch on a constant or a loop without repeats. Returns
/// whether it is.
fn to_block(func: &mut Function, jumps: &Jumps, inst: Inst, replacements: &mut Replacements) -> bool {
    let data = &func.insts[inst];
    let taken = match &data.op {
        Op::If | Op::Switch(_) => match taken_region(func, inst) {
            Some(region) => region,
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

/// Appends a block's instructions to `out` if the block is left only at its end or never. Its terminator is
/// appended if that does not exit the block itself. Returns whether the block dissolved.
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

/// The order of instructions in the text, and their nesting.
struct Order {
    /// The instructions in the order of the text.
    list: Vec<Inst>,
    /// The position of each instruction in the list; `u32::MAX` for an instruction that is not in the function.
    at: Vec<u32>,
    /// The position of the last instruction inside each instruction.
    last: Vec<u32>,
    /// The instruction that has each region.
    owner: Vec<Option<Inst>>,
    /// The structured instruction around each instruction.
    around: Vec<Option<Inst>>,
}

impl Order {
    fn new(func: &Function) -> Self {
        let mut order = Order {
            list: Vec::new(),
            at: vec![u32::MAX; func.insts.len()],
            last: vec![0; func.insts.len()],
            owner: vec![None; func.regions.len()],
            around: vec![None; func.insts.len()],
        };
        let list = func.insts_in_order();
        for (n, &inst) in list.iter().enumerate() {
            order.at[inst.index()] = n as u32;
            order.last[inst.index()] = n as u32;
            for &r in &func.insts[inst].regions {
                order.owner[r.index()] = Some(inst);
                for inner in &func.regions[r].insts {
                    order.around[inner.index()] = Some(inst);
                }
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

    /// Returns whether `inst` is `outer` or inside of it.
    fn contains(&self, outer: Inst, inst: Inst) -> bool {
        let at = self.at[inst.index()];
        at != u32::MAX && self.at[outer.index()] <= at && at <= self.last[outer.index()]
    }

    /// Returns whether a value is defined outside of an instruction; the results of the instruction are not
    /// outside.
    fn is_outside(&self, func: &Function, value: Value, inst: Inst) -> bool {
        match func.values[value].def {
            ValueDef::Const(_) | ValueDef::Param(_) => true,
            ValueDef::Inst(def, _) => !self.contains(inst, def),
            ValueDef::Arg(region, _) => self.owner[region.index()].is_some_and(|o| !self.contains(inst, o)),
        }
    }
}

/// The facts about a function that the steps share.
struct Known {
    jumps: Jumps,
    order: Order,
    /// The regions, outer ones first.
    regions: Vec<Region>,
    /// The structured instructions in the order of the text.
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

/// Replaces results and loop arguments that always have the same value.
fn unify(func: &mut Function, known: &Known) -> bool {
    let Known { jumps, order, .. } = known;
    let mut replacements = Replacements::default();
    let mut dropped = false;
    // Inner instructions come before outer ones and earlier before later ones, so that a replacement is used
    // in the same round.
    let mut inner_first = known.structured.clone();
    inner_first.sort_unstable_by_key(|i| (order.last[i.index()], std::cmp::Reverse(order.at[i.index()])));
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
    // `dce` finds out whether a result has other uses than itself, and removes it if not.
    super::dce::remove_dead(func);
    true
}

/// Returns the value that all `values` are equal to, apart from `itself` and undefined ones; `None` if there are several such
/// values.
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

/// Turns `if`s whose arms compute little and have no effects into selects.
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
                for &i in &insts {
                    func.insts[i].no_wrap = false;
                }
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

/// Replaces the results of `if`s that are an integer constant in both arms by selects after the `if`s.
fn constants_to_select(func: &mut Function, jumps: &Jumps) -> bool {
    let mut found = Vec::new();
    for region in func.regions_in_order() {
        for (n, &inst) in func.regions[region].insts.iter().enumerate() {
            let data = &func.insts[inst];
            if data.op != Op::If || data.results.is_empty() || jumps.exits(inst).len() != 2 {
                continue;
            }
            let ends = [0, 1].map(|arm| func.terminator(data.regions[arm]));
            let [Some(then), Some(otherwise)] = ends else {
                continue;
            };
            if [then, otherwise]
                .iter()
                .any(|&end| func.insts[end].op != Op::Exit(inst))
            {
                continue;
            }
            for slot in 0..data.results.len() {
                let ty = func.ty(data.results[slot]);
                let passed = [then, otherwise].map(|end| func.insts[end].args[slot]);
                let is_flag = !ty.is_vector() && (ty.scalar.is_int() || ty.scalar == Scalar::Bool);
                if is_flag && passed.iter().all(|&v| func.as_bits(v).is_some()) {
                    found.push((region, n, slot, passed));
                }
            }
        }
    }
    let mut replacements = Replacements::default();
    // The last ones come first, so that the positions of the others stay valid.
    for &(region, n, slot, [then, otherwise]) in found.iter().rev() {
        let inst = func.regions[region].insts[n];
        let data = &func.insts[inst];
        let (cond, result, span) = (data.args[0], data.results[slot], data.span);
        let select = func.new_inst(Op::Select, vec![cond, then, otherwise], &[func.ty(result)], span);
        func.regions[region].insts.insert(n + 1, select);
        replacements.set(result, func.insts[select].results[0]);
    }
    if found.is_empty() {
        return false;
    }
    replacements.apply(func);
    // The results have no uses any more.
    super::dce::remove_dead(func);
    true
}

/// Returns whether an `if` can become selects.
fn is_speculatable(func: &Function, jumps: &Jumps, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if jumps.exits(inst).len() != 2 {
        return false;
    }
    // Values without storage, such as image handles, cannot be operands of a select, nor can matrices.
    let selectable = |&r: &Value| match func.ty(r).scalar {
        Scalar::Bool => true,
        Scalar::Matrix(_) => false,
        scalar => scalar.bytes() > 0,
    };
    if !data.results.iter().all(selectable) {
        return false;
    }
    let mut total = data.results.len();
    let mut words = data.results.iter().all(|&r| is_word(func.ty(r)));
    for &arm in &data.regions {
        let Some((&end, insts)) = func.regions[arm].insts.split_last() else {
            return false;
        };
        if func.insts[end].op != Op::Exit(inst) || !insts.iter().all(|&i| is_cheap(func, i)) {
            return false;
        }
        total += insts.len();
        words &= insts.iter().all(|&i| is_simple(func, i));
    }
    total
        <= if words {
            MAX_SPECULATED_WORDS
        } else {
            MAX_SPECULATED
        }
}

/// Returns whether a value is a condition, or an integer of at most 32 bits.
fn is_word(ty: Ty) -> bool {
    !ty.is_vector() && (ty.scalar == Scalar::Bool || ty.scalar.is_int() && ty.scalar.bytes() <= 4)
}

/// Returns whether an instruction is a sum, shift, logical operation, comparison or choice of such values.
fn is_simple(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_fast = match data.op {
        Op::Binary(op) => !matches!(
            op,
            BinOp::IMul | BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem
        ),
        Op::Unary(_) | Op::Compare(_) | Op::Select => true,
        _ => false,
    };
    is_fast
        && data
            .args
            .iter()
            .chain(&data.results)
            .all(|&v| is_word(func.ty(v)))
}

/// Returns whether an instruction may be executed although its arm is not taken.
pub(super) fn is_cheap(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    // These are undefined for some operands, which the condition may exclude.
    let is_partial = matches!(
        data.op,
        Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem)
            | Op::ExtractDynamic
            | Op::InsertDynamic
    );
    is_pure(data) && !is_partial && !matches!(data.op, Op::Intrinsic(_) | Op::CallPure(_))
}

/// Where one arm of an `if` leaves an enclosing block, moves the code after the `if` into the other arm.
fn nest_tails(func: &mut Function, known: &Known) -> bool {
    // The moves leave `order` valid for this use: instructions inside of an `if` stay inside.
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
                // Moving a single exit helps only if the other arm exits to the same target, and
                // `merge_tails` does not handle the case.
                let goes_there = jumps.exits(target).iter().any(|&e| order.contains(inst, e));
                if !goes_there || func.insts[end].args == func.insts[inst].results {
                    continue;
                }
            }
            // A loop's test stays as it is: moving the rest of the body into it does not help.
            if repeats_what_arm_leaves(func, order, region, inst) {
                continue;
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

/// Returns whether a region ends in a repeat of a loop that an arm of an `if` in it leaves.
fn repeats_what_arm_leaves(func: &Function, order: &Order, region: Region, inst: Inst) -> bool {
    let end = func.terminator(region).map(|end| &func.insts[end].op);
    let Some(&Op::Repeat(loop_)) = end else {
        return false;
    };
    let ends = func.insts[inst]
        .regions
        .iter()
        .filter_map(|&arm| func.terminator(arm));
    ends.into_iter().any(|end| match func.insts[end].op {
        Op::Exit(target) => !order.contains(loop_, target),
        _ => false,
    })
}

/// Returns the nesting depth of each region.
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

/// If one arm of an `if` ends by leaving an enclosing block or `if`, and the other arm continues after the
/// `if`, returns the arm that continues.
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
        // `nest_tails` has moved code into the other arm before.
        Op::Unreachable => {
            let insts = &func.regions[if arm == a { b } else { a }].insts;
            let before = insts.len().checked_sub(2).map(|n| insts[n])?;
            (func.insts[before].op == Op::If).then_some(arm)
        }
        _ => None,
    }
}

/// Merges jumps inside of an `if` or `switch` at the end of a region with the jump that follows it. There are
/// two cases:
/// - `Unreachable` follows, and jumps inside exit the region's owner: the jumps become exits of the
///   instruction itself, and an exit of the owner replaces `Unreachable`. This is also done for a `loop`.
/// - An exit follows that passes exactly the results of the instruction, and jumps inside exit the same
///   target: the jumps become exits of the instruction itself.
///
/// Targets are blocks, `if`s and, in the first case, `switch`es. Exits of loops stay, because SPIR-V can express them
/// from any depth.
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
        if !matches!(func.insts[last].op, Op::If | Op::Switch(_) | Op::Loop) {
            continue;
        }
        let is_loop = func.insts[last].op == Op::Loop;
        let (target, completes) = match func.insts[end].op {
            Op::Unreachable if jumps.exits(last).is_empty() => (order.owner[region.index()], false),
            Op::Exit(target) if !is_loop && func.insts[end].args == func.insts[last].results => {
                (Some(target), true)
            }
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
