//! Reduces the nesting of conditions in functions that nest deeper than the driver supports.
//!
//! Why: llvmpipe silently gives wrong results beyond the depth
//! [`Limits::nesting`](crate::target::Limits::nesting).
//! In:  `Inlined`; before `lower_exits`.
//! Out: the nesting that [`check_nesting`] counts is within the limit if this is possible. A function that is
//!      within it anyway stays as it is, and so do loops that are nested deeper than the limit.
//!
//! The body of a function, and the body of each loop, becomes a block that is left only by exits of the
//! block. If an instruction inside the block is nested too deep, the outermost instruction in the block that
//! contains it is cut: the instructions after the cut in the innermost region (the tail) become the arm of
//! an `if` after the outermost instruction, and the instructions that follow each of the instructions around
//! the cut become the arm of another `if` after that. A number, the state, tells where each work-item
//! continues, so that work-items reconverge at the same points as before.
//!
//! ```text
//! block ^b0 {                          %s = block ^b0 {
//!   if ^b1 %c {                          if ^b1 %c {
//!     A                                    A
//!     (cut)                                exit ^b0 2
//!     B                                  } else {
//!     exit ^b1                             exit ^b0 1
//!   } else {                     →       }
//!     exit ^b1                         }
//!   }                                  %t = if ^b2 (%s == 2) { B; exit ^b2 1 } else { exit ^b2 %s }
//!   C                                  if ^b3 (%t != 0) { C; exit ^b3 } else { exit ^b3 }
//!   exit ^b0
//! }
//! ```
//!
//! Values that are computed before the cut and used after it become results of the cut instruction.

use super::{Changed, Pass, PassCx, PassError, carry_exit_values, check_nesting, lower_exits};
use crate::inv;
use crate::ir::analysis::{Jumps, leaving};
use crate::ir::walk::{Parents, Replacements, Walk};
use crate::ir::{CmpOp, Const, EntityRef, Function, Inst, Module, Op, Region, Ty, Value, ValueList};
use crate::source::Span;
use crate::target::Target;

pub const PASS: Pass = Pass {
    name: "limit_nesting",
    about: "Reduces the nesting of functions that nest deeper than the driver supports.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The maximum number of cuts of one function. Each cut moves at least one instruction to a lesser depth, so
/// few functions need many.
const MAX_CUTS: usize = 20_000;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let limit = cx.target.limits.nesting;
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        if at_most(func) <= u64::from(limit) || depth_of(func, cx.target)? <= limit {
            continue;
        }
        // The limit for each body is lower, because nested loops share the limit and lowering exits may add
        // conditions.
        let mut share = limit - limit / 4;
        while share >= 2 {
            let mut copy = func.clone();
            if rearrange(&mut copy, share) && depth_of(&copy, cx.target)? <= limit {
                *func = copy;
                changed = true;
                break;
            }
            share -= share.div_ceil(3);
        }
    }
    Ok(changed.into())
}

/// Returns an upper bound of the depth that [`check_nesting`] will count: the number of instructions around
/// each instruction, plus the number of jumps that leave instructions before it.
fn at_most(func: &Function) -> u64 {
    let parents = Parents::new(func);
    let mut leaving = vec![0u64; func.insts.len()];
    let mut walk = Walk::new(func);
    while let Some((_, jump)) = walk.next(func) {
        let target = match func.insts[jump].op {
            Op::Exit(target) | Op::Repeat(target) => Some(target),
            Op::Return => None,
            _ => continue,
        };
        let mut at = parents.enclosing(jump);
        while let Some(inst) = at.filter(|&i| Some(i) != target) {
            leaving[inst.index()] += 1;
            at = parents.enclosing(inst);
        }
    }
    let mut most = 0;
    let mut open: Vec<(Region, u64)> = vec![(func.body, 0)];
    while let Some((region, mut depth)) = open.pop() {
        for &inst in &func.regions[region].insts {
            if func.insts[inst].op.is_structured() {
                most = most.max(depth + 1);
                open.extend(func.insts[inst].regions.iter().map(|&r| (r, depth + 1)));
                depth += leaving[inst.index()];
            }
        }
    }
    most
}

/// Returns the depth that [`check_nesting`] will count.
fn depth_of(func: &Function, target: &Target) -> Result<u32, PassError> {
    let mut copy = func.clone();
    lower_exits::lower(&mut copy)?;
    if target.quirks.loop_values {
        carry_exit_values::carry_all(&mut copy);
    }
    Ok(check_nesting::deepest(&copy).depth())
}

/// Cuts a function wherever the nesting inside its body or inside the body of a loop is deeper than `share`.
/// Returns whether that was possible.
fn rearrange(func: &mut Function, share: u32) -> bool {
    let root = lower_exits::stop_returns(func);
    let mut cuts = MAX_CUTS;
    let mut done = flatten(func, func.body, root, share, &mut cuts);
    for inst in func.insts_in_order() {
        if !done {
            break;
        }
        let data = &func.insts[inst];
        if data.op != Op::Loop {
            continue;
        }
        let body = data.regions[0];
        let left = leaving(func, &func.insts_inside(inst));
        let first = [Level {
            inst,
            region: body,
            at: 0,
        }];
        if first_too_deep(func, &first, &left, share).is_some()
            && let Some(block) = lower_exits::stop_at_body(func, inst)
        {
            done = flatten(func, body, block, share, &mut cuts);
        }
    }
    done
}

/// A position in a region, and the instruction that owns the region.
#[derive(Clone, Copy)]
struct Level {
    inst: Inst,
    region: Region,
    at: usize,
}

/// Cuts an instruction of `outer`, and the instructions that the cuts create after it, until nothing is too
/// deep. Returns whether that was possible.
fn flatten(func: &mut Function, outer: Region, inst: Inst, share: u32, cuts: &mut usize) -> bool {
    let mut open = vec![inst];
    while let Some(inst) = open.pop() {
        // Only jumps inside of the instruction are asked for.
        let left = leaving(func, &func.insts_inside(inst));
        let region = func.insts[inst].regions[0];
        let Some(path) = first_too_deep(func, &[Level { inst, region, at: 0 }], &left, share) else {
            continue;
        };
        if *cuts == 0 {
            return false;
        }
        *cuts -= 1;
        let Some((tail, rest)) = cut(func, outer, &path) else {
            return false;
        };
        open.extend(rest);
        open.extend([tail, inst]);
    }
    true
}

/// Returns the path to the first structured instruction inside of an instruction, in the order of the text,
/// that is nested too deep: one position for each enclosing instruction, the outermost first. The insides of
/// loops are examined separately.
fn first_too_deep(func: &Function, start: &[Level], left: &[bool], share: u32) -> Option<Vec<Level>> {
    // The positions, with the number of conditions around each.
    let mut path: Vec<(Level, u32)> = start.iter().map(|&level| (level, 1)).collect();
    while let Some((level, depth)) = path.last_mut() {
        let Some(&inst) = func.regions[level.region].insts.get(level.at) else {
            // Go on with the next region of the same instruction, unless it is a loop.
            let regions = &func.insts[level.inst].regions;
            let next = regions.iter().position(|r| *r == level.region)? + 1;
            if let Some(&region) = regions.get(next) {
                let inside = match path.len() {
                    1 => 1,
                    n => path[n - 2].1 + 1,
                };
                let last = path.len() - 1;
                path[last].0 = Level {
                    region,
                    at: 0,
                    ..path[last].0
                };
                path[last].1 = inside;
            } else {
                path.pop();
                // Go on after the instruction whose regions have been visited.
                if let Some((outer, depth)) = path.last_mut() {
                    let done = func.regions[outer.region].insts[outer.at];
                    *depth += u32::from(left[done.index()]);
                    outer.at += 1;
                }
            }
            continue;
        };
        let data = &func.insts[inst];
        if !data.op.is_structured() {
            level.at += 1;
            continue;
        }
        if *depth + 1 > share {
            return Some(path.into_iter().map(|(level, _)| level).collect());
        }
        if data.op == Op::Loop {
            *depth += u32::from(left[inst.index()]);
            level.at += 1;
            continue;
        }
        let (region, inside) = (data.regions[0], *depth + 1);
        path.push((Level { inst, region, at: 0 }, inside));
    }
    None
}

/// An instruction around the cut that work-items can complete. They then continue with `rest`.
struct Stage {
    inst: Inst,
    /// Its index in the path.
    level: usize,
    /// The instructions that follow it.
    rest: Vec<Inst>,
    /// The types of its results.
    types: Vec<Ty>,
}

/// A value that is computed before the cut and used after it.
struct Captured {
    value: Value,
    /// The index in the path of the region in which the value is computed.
    level: usize,
}

/// What the exits of a cut instruction pass: the results that the instruction had, the state, additional results
/// that the states share, and the captured values.
struct Passing<'c> {
    /// The number of results that the instruction had.
    whole: usize,
    /// The types of all results but the state and the captured values.
    shared_types: Vec<Ty>,
    /// For each state, the indices of the results that are passed with it.
    ways: Vec<Vec<usize>>,
    captured: &'c [Captured],
    /// For each state, the number of regions of the path that enclose its jumps.
    visible: Vec<usize>,
}

impl Passing<'_> {
    /// Returns the values that a jump passes which had passed `given`.
    fn args(&self, func: &mut Function, given: &[Value], way: usize, with_captured: bool) -> Vec<Value> {
        let mut args: Vec<Value> = self
            .shared_types
            .iter()
            .map(|&ty| func.constant(ty, Const::Undef))
            .collect();
        for (&at, &value) in self.ways[way].iter().zip(given) {
            args[at] = value;
        }
        let number = func.splat_bits(Ty::I32, way as u64);
        args.insert(self.whole, number);
        if with_captured {
            for c in self.captured {
                // A captured value is visible to the jump if it is computed in a region that encloses the jump,
                // at a position before it.
                let ty = func.ty(c.value);
                args.push(if c.level < self.visible[way] {
                    c.value
                } else {
                    func.constant(ty, Const::Undef)
                });
            }
        }
        args
    }

    /// Turns the jumps in `regions` that complete one of the `states` into exits of `target`.
    fn redirect(
        &self,
        func: &mut Function,
        regions: &[Region],
        states: &[Inst],
        end: Inst,
        target: Inst,
        with_captured: bool,
    ) {
        for jump in jumps_to(func, regions, states, end) {
            let way = way_of(func, jump, states);
            let given = std::mem::take(&mut func.insts[jump].args);
            func.insts[jump].args = self.args(func, &given, way, with_captured).into();
            func.insts[jump].op = Op::Exit(target);
        }
    }
}
/// Cuts the first instruction of a path, which is in `outer`, at the end of the path. Returns the `if` that
/// contains the tail, and the `if` that contains the instructions after those around the cut, if there are
/// any. Returns `None` if a value that would have to be passed on cannot be.
fn cut(func: &mut Function, outer: Region, path: &[Level]) -> Option<(Inst, Option<Inst>)> {
    let (first, last) = (path[0], path[path.len() - 1]);
    let span = func.insts[first.inst].span;
    let live = resolve_lone_jumps(func, path);
    let tail = func.regions[last.region].insts.split_off(last.at);
    let stages = take_stages(func, path, &live);
    let captured = captured(func, path, &tail, &stages)?;

    // The first instruction gets these results: those that it had, the state, additional results that the
    // stages share, and the captured values.
    let whole = func.insts[first.inst].results.clone();
    let whole_types = types_of(func, &whole);
    let state = func.add_result(first.inst, Ty::I32);
    let mut shared: Vec<Value> = whole.to_vec();
    // For each state, the indices of the results that are passed with it.
    let mut ways: Vec<Vec<usize>> = vec![(0..whole.len()).collect()];
    for stage in &stages {
        ways.push(lower_exits::share(func, first.inst, &mut shared, &stage.types));
    }
    ways.push(Vec::new());
    let mut after = Replacements::default();
    for c in &captured {
        let carried = func.add_result(first.inst, func.ty(c.value));
        after.set(c.value, carried);
    }
    // State 0: the instruction has completed. State n: stage n − 1 has completed. The last state: the tail is
    // next.
    let states: Vec<Inst> = [first.inst]
        .into_iter()
        .chain(stages.iter().map(|s| s.inst))
        .collect();
    let to_tail = states.len();
    let visible = std::iter::once(0)
        .chain(stages.iter().map(|s| s.level))
        .chain([path.len()]);
    let passing = Passing {
        whole: whole.len(),
        shared_types: types_of(func, &shared),
        ways,
        captured: &captured,
        visible: visible.collect(),
    };

    terminate(func, last.region, Op::Exit(first.inst), span);
    let end = *func.regions[last.region].insts.last()?;
    let regions = func.insts[first.inst].regions.clone();
    passing.redirect(func, &regions, &states, end, first.inst, true);
    func.insts[end].args = passing.args(func, &[], to_tail, true).into();

    // Move the tail.
    let mut tail_results = passing.shared_types.clone();
    tail_results.insert(whole.len(), Ty::I32);
    let number = func.splat_bits(Ty::I32, to_tail as u64);
    let (compare, tail_if) = compare_and_branch(func, CmpOp::IEq, state, number, &tail_results, span);
    let arm = func.insts[tail_if].regions[0];
    func.regions[arm].insts = tail;
    passing.redirect(func, &[arm], &states, end, tail_if, false);
    let mut tail_values = func.insts[tail_if].results.to_vec();
    let tail_state = tail_values.remove(whole.len());

    // Move the instructions that follow the instructions around the cut.
    let mut new = vec![compare, tail_if];
    let mut completes = tail_values[..whole.len()].to_vec();
    let mut rest_if = None;
    if !stages.is_empty() {
        let zero = func.splat_bits(Ty::I32, 0);
        let (compare, outermost) = compare_and_branch(func, CmpOp::INe, tail_state, zero, &whole_types, span);
        new.extend([compare, outermost]);
        rest_if = Some(outermost);
        completes = func.insts[outermost].results.to_vec();
        terminate_with(func, outermost, 1, &tail_values[..whole.len()]);
        let targets = move_rests(
            func,
            outermost,
            stages,
            &tail_values,
            tail_state,
            &passing.ways,
            &mut after,
        );
        let arm = func.insts[outermost].regions[0];
        for jump in jumps_to(func, &[arm], &states, end) {
            let way = way_of(func, jump, &states);
            func.insts[jump].op = Op::Exit(targets[way]);
        }
        replace_in(func, arm, &mut after);
    }
    replace_in(func, arm, &mut after);
    if !whole.is_empty() {
        let mut replacements = Replacements::default();
        for (&old, &new) in whole.iter().zip(&completes) {
            replacements.set(old, new);
        }
        replacements.apply(func);
    }
    shared.insert(whole.len(), state);
    terminate_with(func, tail_if, 1, &shared);
    let at = func.regions[outer].insts.iter().position(|&i| i == first.inst)? + 1;
    func.regions[outer].insts.splice(at..at, new);
    Some((tail_if, rest_if))
}

/// Takes the instructions that follow each of the levels `live` out of their regions.
fn take_stages(func: &mut Function, path: &[Level], live: &[usize]) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for &level in live {
        let (inst, around) = (path[level].inst, path[level - 1]);
        let rest = func.regions[around.region].insts.split_off(around.at + 1);
        terminate(
            func,
            around.region,
            Op::Unreachable,
            func.insts[path[0].inst].span,
        );
        let types = types_of(func, &func.insts[inst].results);
        stages.push(Stage {
            inst,
            level,
            rest,
            types,
        });
    }
    stages
}
/// Moves the instructions that follow each stage into nested `if`s inside of `outermost`, one for each state. Returns
/// the instruction that a jump of each state exits. `after` learns which values replace the results of the stages.
fn move_rests(
    func: &mut Function,
    outermost: Inst,
    stages: Vec<Stage>,
    tail_values: &[Value],
    tail_state: Value,
    ways: &[Vec<usize>],
    after: &mut Replacements,
) -> Vec<Inst> {
    let span = func.insts[outermost].span;
    let mut region = func.insts[outermost].regions[0];
    let mut targets = vec![outermost];
    let count = stages.len();
    for (n, mut stage) in stages.into_iter().enumerate() {
        let own: Vec<Value> = ways[n + 1].iter().map(|&at| tail_values[at]).collect();
        let results = func.insts[stage.inst].results.clone();
        let mut stand_in = own.clone();
        let mut inner_region = region;
        if n + 1 < count {
            let number = func.splat_bits(Ty::I32, n as u64 + 1);
            let (compare, inner) =
                compare_and_branch(func, CmpOp::UGt, tail_state, number, &stage.types, span);
            func.regions[region].insts.extend([compare, inner]);
            terminate_with(func, inner, 1, &own);
            stand_in = func.insts[inner].results.to_vec();
            targets.push(inner);
            inner_region = func.insts[inner].regions[0];
        }
        func.regions[region].insts.append(&mut stage.rest);
        region = inner_region;
        for (&result, &value) in results.iter().zip(&stand_in) {
            after.set(result, value);
        }
    }
    targets
}

/// Replaces the exits of an instruction around the cut by the jump that follows the instruction, if nothing
/// else follows it. Returns the indices in the path of the other instructions that complete.
fn resolve_lone_jumps(func: &mut Function, path: &[Level]) -> Vec<usize> {
    // All exits of these instructions are inside of the first.
    let jumps = Jumps::inside(func, &func.insts[path[0].inst].regions);
    let mut live = Vec::new();
    for level in 1..path.len() {
        let (inst, around) = (path[level].inst, path[level - 1]);
        let span = func.insts[inst].span;
        // `jumps` stays correct for the instructions further in: the exits that an earlier iteration has
        // replaced now target instructions further out.
        let exits = jumps.exits(inst);
        let next = around.at + 1;
        let lone = match func.regions[around.region].insts[next..] {
            _ if exits.is_empty() => None,
            [lone] => Some(lone),
            _ => {
                live.push(level);
                continue;
            }
        };
        if let Some(lone) = lone {
            let results = func.insts[inst].results.clone();
            for &exit in exits {
                let given = func.insts[exit].args.clone();
                let stand_in = |&v: &Value| results.iter().position(|&r| r == v).map_or(v, |n| given[n]);
                let args: ValueList = func.insts[lone].args.iter().map(stand_in).collect();
                func.insts[exit].op = func.insts[lone].op.clone();
                func.insts[exit].args = args;
            }
        }
        func.regions[around.region].insts.truncate(next);
        terminate(func, around.region, Op::Unreachable, span);
    }
    live
}

/// Returns the values that are computed before the cut and used by the tail or the stages. Private arrays
/// move to the start of the function instead. Returns `None` if a value cannot be a result, such as an image
/// handle.
fn captured(func: &mut Function, path: &[Level], tail: &[Inst], stages: &[Stage]) -> Option<Vec<Captured>> {
    const OUTSIDE: usize = usize::MAX;
    let mut level_of = vec![OUTSIDE; func.insts.len()];
    for (level, place) in path.iter().enumerate() {
        for &inst in &func.regions[place.region].insts {
            level_of[inst.index()] = level;
        }
    }
    // The results of stages are passed separately.
    for stage in stages {
        level_of[stage.inst.index()] = OUTSIDE;
    }
    let mut found = Vec::new();
    let mut seen = vec![false; func.values.len()];
    let mut variables = Vec::new();
    for insts in [tail].into_iter().chain(stages.iter().map(|s| &s.rest[..])) {
        let mut open: Vec<Inst> = insts.iter().rev().copied().collect();
        while let Some(inst) = open.pop() {
            for &value in &func.insts[inst].args {
                let Some(def) = func.def_inst(value) else { continue };
                if level_of[def.index()] == OUTSIDE || std::mem::replace(&mut seen[value.index()], true) {
                    continue;
                }
                if matches!(func.insts[def].op, Op::Variable { .. } | Op::Alloca { .. }) {
                    variables.push((def, level_of[def.index()]));
                } else if func.ty(value).bytes() > 0 || func.ty(value).scalar == Ty::BOOL.scalar {
                    found.push(Captured {
                        value,
                        level: level_of[def.index()],
                    });
                } else {
                    return None;
                }
            }
            let regions = &func.insts[inst].regions;
            open.extend(
                regions
                    .iter()
                    .rev()
                    .flat_map(|&r| func.regions[r].insts.iter().rev()),
            );
        }
    }
    for (def, level) in variables {
        func.regions[path[level].region].insts.retain(|&i| i != def);
        func.regions[func.body].insts.insert(0, def);
    }
    Some(found)
}

/// Returns the exits of some instructions in some regions, except `but`.
fn jumps_to(func: &Function, regions: &[Region], targets: &[Inst], but: Inst) -> Vec<Inst> {
    let mut is_target = vec![false; func.insts.len()];
    for target in targets {
        is_target[target.index()] = true;
    }
    let mut found = Vec::new();
    for &region in regions {
        let mut walk = Walk::region(region);
        while let Some((_, inst)) = walk.next(func) {
            if let Op::Exit(target) = func.insts[inst].op
                && is_target[target.index()]
                && inst != but
            {
                found.push(inst);
            }
        }
    }
    found
}

/// Returns the index of an exit's target in `targets`.
fn way_of(func: &Function, exit: Inst, targets: &[Inst]) -> usize {
    let at = targets.iter().position(|&t| func.insts[exit].op == Op::Exit(t));
    at.expect("listed as an exit of one of them")
}

/// Returns the types of values.
fn types_of(func: &Function, values: &[Value]) -> Vec<Ty> {
    values.iter().map(|&v| func.ty(v)).collect()
}

/// Replaces values in a region and in all regions inside of it.
fn replace_in(func: &mut Function, region: Region, by: &mut Replacements) {
    let mut walk = Walk::region(region);
    while let Some((_, inst)) = walk.next(func) {
        by.apply_to(func, inst);
    }
}

/// Appends a terminator without values.
fn terminate(func: &mut Function, region: Region, op: Op, span: Span) {
    let end = func.new_inst(op, vec![], &[], span);
    func.regions[region].insts.push(end);
}

/// Ends an arm of an `if` with an exit of the `if`.
fn terminate_with(func: &mut Function, branch: Inst, arm: usize, values: &[Value]) {
    let span = func.insts[branch].span;
    let end = func.new_inst(Op::Exit(branch), values.to_vec(), &[], span);
    let region = func.insts[branch].regions[arm];
    func.regions[region].insts.push(end);
}

/// Creates a comparison and an `if` on its result, and returns both. The arms of the `if` are empty regions.
fn compare_and_branch(
    func: &mut Function,
    op: CmpOp,
    a: Value,
    b: Value,
    results: &[Ty],
    span: Span,
) -> (Inst, Inst) {
    let compare = func.new_inst(Op::Compare(op), vec![a, b], &[Ty::BOOL], span);
    let condition = func.insts[compare].results[0];
    let branch = func.new_inst(Op::If, vec![condition], results, span);
    let arms = [func.new_region(&[]), func.new_region(&[])];
    func.insts[branch].regions.extend(arms);
    (compare, branch)
}
