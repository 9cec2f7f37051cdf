//! Loops behind a test whether they are executed at all. No pass, what passes do.
//!
//! `for (…; c; …)` tests ahead of its first iteration, so that nothing in it is executed for certain. Behind another test
//! of the same, the first iteration is, and what it does may be done ahead of the loop.

use super::analysis::is_pure;
use crate::ir::clone::Copier;
use crate::ir::{Function, Inst, Op, Region, Value};

/// Instructions that are copied at most.
const MAX_COPIED: usize = 16;

/// The test that a loop starts with.
#[derive(Clone, Debug)]
pub struct Header {
    /// An `if` without results. One of its arms is an exit of its own.
    pub test: Inst,
    /// Which arm stays in the loop.
    stay: usize,
}

impl Header {
    /// What the condition is when the loop goes on: 0 true, 1 false.
    pub fn stays_by(&self) -> usize {
        self.stay
    }
}

/// The test, if it can be copied.
pub fn header(func: &Function, loop_: Inst) -> Option<Header> {
    let body = *func.insts[loop_].regions.first()?;
    let insts = &func.regions[body].insts;
    let at = insts.iter().position(|&i| !is_copied(func, i))?;
    let test = insts[at];
    let data = &func.insts[test];
    if data.op != Op::If || !data.results.is_empty() || at > MAX_COPIED {
        return None;
    }
    let end_of = |arm: usize| func.terminator(data.regions[arm]);
    let stays = |arm: usize| {
        func.regions[data.regions[arm]].insts.len() == 1
            && end_of(arm).is_some_and(|end| func.insts[end].op == Op::Exit(test))
    };
    let leaves = |arm: usize| {
        let list = &func.regions[data.regions[arm]].insts;
        list.len() <= MAX_COPIED
            && list[..list.len().saturating_sub(1)]
                .iter()
                .all(|&i| is_copied(func, i))
            && end_of(arm).is_some_and(|end| func.insts[end].op == Op::Exit(loop_))
    };
    let stay = (0..2).find(|&arm| stays(arm) && leaves(1 - arm))?;
    Some(Header { test, stay })
}

/// Whether it may be executed once more.
fn is_copied(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    is_pure(data) && !matches!(data.op, Op::CallPure(_))
}

/// What [`build`] has made.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The `if`; its results stand for the loop's.
    pub inst: Inst,
    /// The region in which the loop now is, the last but the exit.
    pub region: Region,
    /// That exit. It passes the loop's results, whatever stands for them elsewhere.
    pub exit: Inst,
}

/// Puts a loop that is in `place` behind another test.
pub fn build(func: &mut Function, place: Region, loop_: Inst, header: &Header) -> Option<Guarded> {
    let at = func.regions[place].insts.iter().position(|&i| i == loop_)?;
    let span = func.insts[loop_].span;
    let body = func.insts[loop_].regions[0];
    let mut copier = Copier::default();
    let args = func.regions[body].args.clone();
    for (&arg, &init) in args.iter().zip(&func.insts[loop_].args.clone()) {
        copier.map_value(arg, init);
    }
    let behind = func.regions[place].insts.split_off(at);
    let insts = &func.regions[body].insts;
    let ahead: Vec<Inst> = insts.iter().copied().take_while(|&i| i != header.test).collect();
    copier.insts(func, &ahead, place, |_, _, _| {});
    let condition = copier.value(func.insts[header.test].args[0]);
    let results = func.insts[loop_].results.clone();
    let types: Vec<_> = results.iter().map(|&r| func.ty(r)).collect();
    let guard = func.new_inst(Op::If, [condition], &types, span);
    let arms = [func.new_region(&[]), func.new_region(&[])];
    func.insts[guard].regions.extend(arms);
    let (inside, outside) = (arms[header.stay], arms[1 - header.stay]);
    let exit = func.new_inst(Op::Exit(guard), &results[..], &[], span);
    func.regions[inside].insts.extend([loop_, exit]);
    let leaving = func.insts[header.test].regions[1 - header.stay];
    let mut list = func.regions[leaving].insts.clone();
    let end = list.pop()?;
    copier.insts(func, &list, outside, |_, _, _| {});
    let values: Vec<Value> = func.insts[end].args.iter().map(|&v| copier.value(v)).collect();
    let skip = func.new_inst(Op::Exit(guard), values, &[], span);
    func.regions[outside].insts.push(skip);
    func.regions[place].insts.push(guard);
    func.regions[place].insts.extend(&behind[1..]);
    Some(Guarded {
        inst: guard,
        region: inside,
        exit,
    })
}
