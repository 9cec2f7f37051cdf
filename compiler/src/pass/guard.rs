//! Guards: a loop is placed inside an `if` that tests whether the loop has an iteration. This is not a pass. Passes that move
//! code out of loops share it, and passes that unroll loops share the search for the test (`header`).
//!
//! `for (…; c; …)` tests its condition before the first iteration, so that no instruction of the body is
//! certain to be executed. Inside a guard with a copy of the test the first iteration is certain, and its
//! instructions may be executed before the loop.

use crate::ir::analysis::is_pure;
use crate::ir::clone::Copier;
use crate::ir::{Function, Inst, Op, Region, Value};

/// The most instructions that are copied, for the condition and for the arm that leaves.
const MAX_COPIED: usize = 16;

/// The test at the start of a loop.
#[derive(Clone, Debug)]
pub struct Header {
    /// The `if`, which has no results. The arm that stays does nothing but exit the `if`.
    pub test: Inst,
    /// The index of the arm that stays in the loop.
    stay: usize,
}

impl Header {
    /// Returns the index of the arm that stays in the loop: 0 if the condition is true then, 1 if it is
    /// false.
    pub fn stays_by(&self) -> usize {
        self.stay
    }
}

/// Returns the test at the start of a loop, if there is one and it can be copied.
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

/// Returns whether an instruction may be executed once more.
fn is_copied(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    is_pure(data) && !matches!(data.op, Op::CallPure(_))
}

/// The result of [`build`].
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The guard; its results replace those of the loop.
    pub inst: Inst,
    /// The region in which the loop now is, as the last instruction before the exit.
    pub region: Region,
    /// That exit. It passes the loop's own results, which must stay when other uses of them are replaced.
    pub exit: Inst,
}

/// Places a loop, which is in the region `place`, inside a guard.
pub fn build(func: &mut Function, place: Region, loop_: Inst, header: &Header) -> Option<Guarded> {
    let at = func.regions[place].insts.iter().position(|&i| i == loop_)?;
    let span = func.insts[loop_].span;
    let body = func.insts[loop_].regions[0];
    let mut copier = Copier::default();
    let args = func.regions[body].args.clone();
    for (&arg, &init) in args.iter().zip(&func.insts[loop_].args.clone()) {
        copier.map_value(arg, init);
    }
    let rest = func.regions[place].insts.split_off(at);
    let insts = &func.regions[body].insts;
    let before_test: Vec<Inst> = insts.iter().copied().take_while(|&i| i != header.test).collect();
    copier.insts(func, &before_test, place, |_, _, _| {});
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
    func.regions[place].insts.extend(&rest[1..]);
    Some(Guarded {
        inst: guard,
        region: inside,
        exit,
    })
}
