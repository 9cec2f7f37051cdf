//! Lowers multi-level exits to what SPIR-V's structured control flow can express.
//!
//! Why: an exit may leave any number of nested instructions; a branch in SPIR-V may not.
//! In:  any module that is `Inlined`.
//! Out: [`Invariant::SpirvExits`](crate::verify::Invariant::SpirvExits), on which emission relies:
//!
//! 1. There is no `Block`.
//! 2. `Exit(T)`: T is one of
//!    - the innermost enclosing structured instruction: a branch to its merge block;
//!    - the innermost enclosing `Loop`, with only `If`s and `Switch`es between: a break;
//!    - the innermost enclosing `Switch`, with only `If`s between: a branch to the switch's merge block.
//! 3. `Repeat(L)`: L is the innermost enclosing `Loop`, with only `If`s and `Switch`es between: a branch to the
//!    one continue target of the loop. The values that the repeats pass are phis in that continue block,
//!    which goes to the loop's header.
//! 4. Each `Loop` has at least one `Repeat`. It need not have an `Exit`.
//! 5. A structured instruction that no `Exit` targets never completes: `Unreachable` follows it immediately
//!    (its merge block holds only OpUnreachable), and its results are not used.
//! 6. A `Switch` may have no cases but the default, and a constant selector: the form of a `Block` that is
//!    left from inside nested `If`s. Case values are distinct and there is no fall-through.
//! 7. `Return` may be anywhere, as OpReturn and OpReturnValue may; so may `Unreachable`.
//! 8. An arm of a `Switch` in which work-items perform an operation together (`is_convergent`) is selected by a single number.
//!
//! The results of a structured instruction are the phis of its merge block, one operand for each `Exit` that
//! targets it.
//!
//! Algorithm: a structured instruction that must be left from deeper than SPIR-V allows gets an additional
//! result, a number of the destination, and results for the values that the jumps pass. After the instruction
//! the number is compared, and the jump is repeated from there, one level further out. So the work-items are
//! as convergent on every path to a barrier as before.
//!
//! The work-items that take one arm of a switch stay together. SPIR-V promises this only for those with the same selector, even
//! with the mode MaximallyReconvergesKHR. So a switch with an operation of sub-groups or a barrier in an arm for several
//! values becomes two: the first chooses the number of the arm, and the second has one number for each arm. A switch
//! without cases gets the selector 0.

use super::simplify_regions::{early_exits_to_else, fold};
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::HashMap;
use crate::inv;
use crate::ir::analysis::{Survey, has_convergent};
use crate::ir::walk::{Parents, Walk};
use crate::ir::{CmpOp, Const, EntityRef, Function, Inst, Module, Op, Region, Ty, Value, ValueList};

pub const PASS: Pass = Pass {
    name: "lower_exits",
    about: "Lowers multi-level exits to what SPIR-V's structured control flow can express.",
    run,
    requires: inv![Inlined],
    establishes: inv![SpirvExits],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    for (_, func) in module.funcs.iter_mut() {
        lower(func)?;
    }
    Ok(Changed::Yes)
}

/// Lowers the exits of one function.
pub(super) fn lower(func: &mut Function) -> Result<(), PassError> {
    check_switches(func)?;
    number_arms(func);
    split_ifs(func);
    // Each step has nothing to do if no step has changed anything since it was executed last.
    let mut settled = early_exits_to_else(func);
    let split = split_ifs(func);
    let stopped = stop_exits(func);
    if split || stopped || !settled {
        settled = early_exits_to_else(func);
        // That may leave an `if` from deeper inside again, but only across other `if`s.
        settled &= !split_ifs(func);
    }
    if !settled {
        while fold(func) {}
    }
    blocks_to_switches(func);
    Ok(())
}

/// The most case values of one OpSwitch (SPIR-V 2.17, universal limits).
const MAX_CASES: usize = 16_383;

/// Returns an error if a switch has too many cases.
fn check_switches(func: &Function) -> Result<(), PassError> {
    for inst in func.insts_in_order() {
        if let Op::Switch(cases) = &func.insts[inst].op
            && cases.iter().map(Vec::len).sum::<usize>() > MAX_CASES
        {
            return Err(PassError::TooLarge {
                what: "number of cases of a switch".into(),
                limit: MAX_CASES as u64,
                span: func.insts[inst].span,
            });
        }
    }
    Ok(())
}

/// Gives each arm of a switch a single value if work-items perform an operation together in an arm that several values
/// select. All work-items take the arm of a switch without cases, so its selector becomes a constant.
fn number_arms(func: &mut Function) {
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        let Op::Switch(cases) = &data.op else {
            continue;
        };
        if cases.is_empty() {
            let zero = func.splat_bits(func.ty(data.args[0]), 0);
            func.insts[inst].args = [zero].into();
            continue;
        }
        let is_one = |arm: usize| cases.get(arm).is_some_and(|values| values.len() == 1);
        let any = (data.regions.iter().enumerate()).any(|(n, &arm)| !is_one(n) && has_convergent(func, arm));
        if !any {
            continue;
        }
        let (cases, arms, args, span) = (cases.clone(), data.regions.len(), data.args.clone(), data.span);
        let number = func.new_inst(Op::Switch(cases), args, &[Ty::I32], span);
        for n in 0..arms {
            let value = func.splat_bits(Ty::I32, n as u64);
            let exit = func.new_inst(Op::Exit(number), vec![value], &[], span);
            let arm = func.new_region(&[]);
            func.regions[arm].insts.push(exit);
            func.insts[number].regions.push(arm);
        }
        func.insts[inst].op = Op::Switch((0..arms as u64 - 1).map(|n| vec![n]).collect());
        func.insts[inst].args = func.insts[number].results.clone();
        let region = Parents::new(func).region(inst).unwrap_or(func.body);
        let at = func.index_in(region, inst);
        func.regions[region].insts.insert(at, number);
    }
}

/// Places each `if` that is left from deeper than its arms inside a block, so that the block is left instead
/// of the `if`. Returns whether there is any.
fn split_ifs(func: &mut Function) -> bool {
    let Survey {
        structured,
        parents,
        jumps,
        ..
    } = Survey::new(func);
    let mut changed = false;
    for inst in structured {
        let is_direct = |&e: &Inst| parents.enclosing(e) == Some(inst);
        if func.insts[inst].op != Op::If || jumps.exits(inst).iter().all(is_direct) {
            continue;
        }
        changed = true;
        let data = &mut func.insts[inst];
        let (args, regions, span) = (
            std::mem::take(&mut data.args),
            std::mem::take(&mut data.regions),
            data.span,
        );
        data.op = Op::Block;
        let types: Vec<Ty> = func.insts[inst].results.iter().map(|&r| func.ty(r)).collect();
        let inner = func.new_inst(Op::If, args, &types, span);
        func.insts[inner].regions = regions;
        let mut completes = false;
        for &exit in jumps.exits(inst).iter().filter(|&e| is_direct(e)) {
            func.insts[exit].op = Op::Exit(inner);
            completes = true;
        }
        let end = if completes {
            let results = func.insts[inner].results.clone();
            func.new_inst(Op::Exit(inst), results, &[], span)
        } else {
            func.new_inst(Op::Unreachable, vec![], &[], span)
        };
        let body = func.new_region(&[]);
        func.regions[body].insts = vec![inner, end];
        func.insts[inst].regions.push(body);
    }
    changed
}

/// The destination of a jump.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Destination {
    Exit(Inst),
    Repeat(Inst),
}

impl Destination {
    /// Returns the destination of a jump, or `None` if the operation is not a jump.
    fn of(op: &Op) -> Option<Destination> {
        match op {
            Op::Exit(t) => Some(Destination::Exit(*t)),
            Op::Repeat(t) => Some(Destination::Repeat(*t)),
            _ => None,
        }
    }
    /// Returns the jump to the destination.
    fn op(self) -> Op {
        match self {
            Destination::Exit(t) => Op::Exit(t),
            Destination::Repeat(t) => Op::Repeat(t),
        }
    }
    /// Returns the types of the values that a jump to the destination passes.
    fn types(self, func: &Function) -> Vec<Ty> {
        let values = match self {
            Destination::Exit(t) => &func.insts[t].results,
            Destination::Repeat(t) => &func.regions[func.insts[t].regions[0]].args,
        };
        values.iter().map(|&v| func.ty(v)).collect()
    }
}

/// Returns the innermost instruction around `from` at which a jump must stop because SPIR-V cannot express
/// it: a loop or switch (or a block, which becomes a switch) between the jump and its target.
fn stop(func: &Function, parents: &Parents, from: Option<Inst>, to: Destination) -> Option<Inst> {
    let (target, is_exit) = match to {
        Destination::Exit(t) => (t, true),
        Destination::Repeat(t) => (t, false),
    };
    let to_loop = func.insts[target].op == Op::Loop;
    let mut hiding_switch = None;
    let mut at = from;
    while let Some(inst) = at.filter(|&i| i != target) {
        match func.insts[inst].op {
            Op::Loop => return Some(inst),
            Op::Switch(_) | Op::Block => hiding_switch = hiding_switch.or(Some(inst)),
            _ => {}
        }
        at = parents.enclosing(inst);
    }
    // A break or continue of the innermost loop may leave switches.
    hiding_switch.filter(|_| is_exit && !to_loop)
}

/// Makes each jump that SPIR-V cannot express stop at the instruction that is in its way. After that
/// instruction the jump goes on. Returns whether there is any.
fn stop_exits(func: &mut Function) -> bool {
    let Survey {
        order,
        structured,
        parents,
        jumps,
    } = Survey::new(func);
    let mut stopped: HashMap<Inst, Vec<Inst>> = HashMap::default();
    for inst in order {
        if let Some(to) = Destination::of(&func.insts[inst].op)
            && let Some(at) = stop(func, &parents, parents.enclosing(inst), to)
        {
            stopped.entry(at).or_default().push(inst);
        }
    }
    if stopped.is_empty() {
        return false;
    }
    let mut exits: HashMap<Inst, Vec<Inst>> = HashMap::default();
    // Inner instructions come first: a jump that is stopped at one may be stopped again further out.
    for inst in structured.into_iter().rev() {
        let Some(list) = stopped.remove(&inst) else {
            continue;
        };
        // Exits that were stopped further inside have another target now.
        let mut own = jumps.exits(inst).to_vec();
        own.extend(exits.remove(&inst).unwrap_or_default());
        own.retain(|&e| func.insts[e].op == Op::Exit(inst));
        let again = stop_here(func, &parents, inst, &own, &list);
        for jump in again {
            let to = Destination::of(&func.insts[jump].op).expect("made as a jump");
            if let Destination::Exit(target) = to {
                exits.entry(target).or_default().push(jump);
            }
            if let Some(at) = stop(func, &parents, parents.enclosing(inst), to) {
                stopped.entry(at).or_default().push(jump);
            }
        }
    }
    true
}

/// Turns the jumps of `list` into exits of `inst`, and returns the jumps after `inst` that replace them.
fn stop_here(func: &mut Function, parents: &Parents, inst: Inst, exits: &[Inst], list: &[Inst]) -> Vec<Inst> {
    let mut destinations: Vec<Destination> = Vec::new();
    for &jump in list {
        let to = Destination::of(&func.insts[jump].op).expect("listed as a jump");
        if !destinations.contains(&to) {
            destinations.push(to);
        }
    }
    let completes = !exits.is_empty();
    let old_types: Vec<Ty> = func.insts[inst].results.iter().map(|&r| func.ty(r)).collect();
    // The selector is a bool if there are two ways to go on, and absent if there is one.
    let ways = destinations.len() + usize::from(completes);
    let selector_ty = match ways {
        1 => None,
        2 => Some(Ty::BOOL),
        _ => Some(Ty::I32),
    };
    let selector = selector_ty.map(|ty| func.add_result(inst, ty));
    let mut shared: Vec<Value> = func.insts[inst].results[..old_types.len()].to_vec();
    let slots = slots_of(func, inst, list, &destinations, &mut shared);
    let shared_types: Vec<Ty> = shared.iter().map(|&v| func.ty(v)).collect();
    let (own, added) = shared_types.split_at(old_types.len());
    let passing = Passing {
        selector_ty,
        completes,
        slots,
        own,
        added,
    };
    for &exit in exits {
        passing.redirect(func, inst, exit, None);
    }
    for &jump in list {
        let to = Destination::of(&func.insts[jump].op);
        let way = destinations.iter().position(|&d| Some(d) == to);
        passing.redirect(func, inst, jump, way);
    }

    // After `inst`, go on to each destination of `list`.
    let span = func.insts[inst].span;
    let region = parents.region(inst).unwrap_or(func.body);
    let mut after: Vec<Inst> = Vec::new();
    let mut again = Vec::new();
    for (n, (to, slot)) in destinations.iter().zip(&passing.slots).enumerate() {
        let value = |slot: &Slot| match *slot {
            Slot::Result(at) => shared[at],
            Slot::Constant(value) => value,
        };
        let values: ValueList = slot.iter().map(value).collect();
        let jump = func.new_inst(to.op(), values, &[], span);
        again.push(jump);
        let is_last = !completes && n + 1 == destinations.len();
        let (false, Some(selector)) = (is_last, selector) else {
            after.push(jump);
            continue;
        };
        let way = n as u64 + u64::from(completes);
        let (cond, jump_arm) = match selector_ty {
            // The number 0 is false.
            Some(ty) if ty == Ty::BOOL => (selector, usize::from(way == 0)),
            Some(_) | None => {
                let number = func.splat_bits(Ty::I32, way);
                let compare =
                    func.new_inst(Op::Compare(CmpOp::IEq), vec![selector, number], &[Ty::BOOL], span);
                after.push(compare);
                (func.insts[compare].results[0], 0)
            }
        };
        after.push(branch(func, cond, jump, jump_arm));
    }
    let at = func.regions[region].insts.iter().position(|&i| i == inst);
    let at = at.map_or(func.regions[region].insts.len(), |n| n + 1);
    let rest = func.regions[region].insts.split_off(at);
    func.regions[region].insts.extend(after);
    if completes {
        func.regions[region].insts.extend(rest);
    }
    again
}

/// What the exits pass that replace jumps to several destinations.
struct Passing<'p> {
    selector_ty: Option<Ty>,
    completes: bool,
    /// For each destination, the results that carry its values, or the constants that they are.
    slots: Vec<Vec<Slot>>,
    /// The types of the results that the instruction had.
    own: &'p [Ty],
    /// The types of the additional results.
    added: &'p [Ty],
}

impl Passing<'_> {
    /// Turns a jump into an exit of `inst`, which passes the old results, the selector and the additional results.
    /// `way` is the number of the destination, or `None` for an exit of `inst` itself.
    fn redirect(&self, func: &mut Function, inst: Inst, jump: Inst, way: Option<usize>) {
        let given = std::mem::take(&mut func.insts[jump].args);
        let mut values: Vec<Option<Value>> = vec![None; self.own.len() + self.added.len()];
        match way {
            None => values.iter_mut().zip(&given).for_each(|(v, &g)| *v = Some(g)),
            Some(n) => {
                for (slot, &value) in self.slots[n].iter().zip(&given) {
                    if let Slot::Result(at) = *slot {
                        values[at] = Some(value);
                    }
                }
            }
        }
        let value = |func: &mut Function, (value, &ty): (&Option<Value>, &Ty)| {
            value.unwrap_or_else(|| func.constant(ty, Const::Undef))
        };
        let mut args = ValueList::new();
        for pair in values.iter().zip(self.own) {
            args.push(value(func, pair));
        }
        if let Some(ty) = self.selector_ty {
            args.push(func.splat_bits(ty, way.map_or(0, |w| w as u64 + u64::from(self.completes))));
        }
        for pair in values[self.own.len()..].iter().zip(self.added) {
            args.push(value(func, pair));
        }
        func.insts[jump].args = args;
        func.insts[jump].op = Op::Exit(inst);
    }
}

/// Finds the results of `inst` that pass the values for all destinations of `list`. A path goes to one destination
/// only, so these share results: those of the instruction itself, and additional ones where these do not suffice. A
/// value that is the same constant in all jumps to a destination needs no result.
fn slots_of(
    func: &mut Function,
    inst: Inst,
    list: &[Inst],
    destinations: &[Destination],
    shared: &mut Vec<Value>,
) -> Vec<Vec<Slot>> {
    let mut slots: Vec<Vec<Slot>> = Vec::new();
    for to in destinations {
        let mut slot = constants(func, list, *to);
        let varying = slot
            .iter_mut()
            .zip(to.types(func))
            .filter(|(s, _)| **s == Slot::Result(0));
        let (varying, types): (Vec<&mut Slot>, Vec<Ty>) = varying.unzip();
        let numbers = share(func, inst, shared, &types);
        varying
            .into_iter()
            .zip(numbers)
            .for_each(|(s, n)| *s = Slot::Result(n));
        slots.push(slot);
    }
    slots
}

/// Turns the body of a function into one block, which each return leaves; the function returns after the
/// block. Returns the block.
pub(super) fn stop_returns(func: &mut Function) -> Inst {
    let returns: Vec<Inst> = func.insts_in_order();
    let returns = returns.into_iter().filter(|&i| func.insts[i].op == Op::Return);
    let returns: Vec<Inst> = returns.collect();
    let types = func.results.clone();
    let block = wrap(func, func.body, &types);
    for &inst in &returns {
        func.insts[inst].op = Op::Exit(block);
    }
    let span = func.insts[block].span;
    let end = if returns.is_empty() {
        func.new_inst(Op::Unreachable, vec![], &[], span)
    } else {
        let results = func.insts[block].results.clone();
        func.new_inst(Op::Return, results, &[], span)
    };
    func.regions[func.body].insts.push(end);
    block
}

/// Turns the body of a loop into one block, after which all jumps out of the body are done. The function must
/// have no returns. Returns the block, or `None` if there are no such jumps.
pub(super) fn stop_at_body(func: &mut Function, inst: Inst) -> Option<Inst> {
    let body = func.insts[inst].regions[0];
    let mut inside = vec![false; func.insts.len()];
    let mut jumps = Vec::new();
    let mut walk = Walk::region(body);
    while let Some((_, i)) = walk.next(func) {
        inside[i.index()] = true;
        match func.insts[i].op {
            Op::Exit(target) | Op::Repeat(target) if !inside[target.index()] => jumps.push(i),
            _ => {}
        }
    }
    if jumps.is_empty() {
        return None;
    }
    let block = wrap(func, body, &[]);
    let parents = Parents::new(func);
    stop_here(func, &parents, block, &[], &jumps);
    Some(block)
}

/// Moves the instructions of a region into a block, which becomes the only instruction of the region.
fn wrap(func: &mut Function, region: Region, results: &[Ty]) -> Inst {
    let insts = std::mem::take(&mut func.regions[region].insts);
    let span = insts.first().map_or(func.span, |&i| func.insts[i].span);
    let block = func.new_inst(Op::Block, vec![], results, span);
    let inner = func.new_region(&[]);
    func.regions[inner].insts = insts;
    func.insts[block].regions.push(inner);
    func.regions[region].insts.push(block);
    block
}

/// Creates an `if` with a jump in one arm and nothing in the other.
fn branch(func: &mut Function, cond: Value, jump: Inst, jump_arm: usize) -> Inst {
    let span = func.insts[jump].span;
    let inst = func.new_inst(Op::If, vec![cond], &[], span);
    let go_on = func.new_inst(Op::Exit(inst), vec![], &[], span);
    for arm in 0..2 {
        let region: Region = func.new_region(&[]);
        func.regions[region]
            .insts
            .push(if arm == jump_arm { jump } else { go_on });
        func.insts[inst].regions.push(region);
    }
    inst
}

/// The source of a value after the instruction at which a jump stopped.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Slot {
    /// A result of the instruction, by index.
    Result(usize),
    Constant(Value),
}

/// Returns for each value that the jumps to a destination pass the constant, if it is the same constant in
/// all of them, or else `Slot::Result(0)`, for which a result is still to be chosen.
fn constants(func: &Function, list: &[Inst], to: Destination) -> Vec<Slot> {
    let mut found: Vec<Slot> = Vec::new();
    let same = list
        .iter()
        .filter(|&&j| Destination::of(&func.insts[j].op) == Some(to));
    for &jump in same {
        for (at, &value) in func.insts[jump].args.iter().enumerate() {
            let own = match func.as_const(value) {
                Some(_) => Slot::Constant(value),
                None => Slot::Result(0),
            };
            let is_undef = |v: Value| func.as_const(v) == Some(&Const::Undef);
            match found.get_mut(at) {
                None => found.push(own),
                Some(Slot::Constant(c)) if is_undef(*c) => found[at] = own,
                Some(Slot::Constant(_)) if is_undef(value) => {}
                Some(known) if *known != own => *known = Slot::Result(0),
                Some(_) => {}
            }
        }
    }
    found
}

/// Chooses a result of `inst` for each of these types, and returns the indices of the results in `shared`.
/// For each type the first results of that type are chosen; missing results are added.
pub(super) fn share(func: &mut Function, inst: Inst, shared: &mut Vec<Value>, types: &[Ty]) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    for &ty in types {
        let from = taken
            .iter()
            .rev()
            .find(|&&at| func.ty(shared[at]) == ty)
            .map_or(0, |&at| at + 1);
        let free = (from..shared.len()).find(|&at| func.ty(shared[at]) == ty);
        taken.push(free.unwrap_or_else(|| {
            shared.push(func.add_result(inst, ty));
            shared.len() - 1
        }));
    }
    taken
}

/// Turns the remaining blocks, which are left only from inside `if`s, into switches with only a default,
/// which SPIR-V can leave in that way.
fn blocks_to_switches(func: &mut Function) {
    let zero = func.splat_bits(Ty::I32, 0);
    for inst in func.insts_in_order() {
        if func.insts[inst].op == Op::Block {
            func.insts[inst].op = Op::Switch(Vec::new());
            func.insts[inst].args = [zero].into();
        }
    }
}
