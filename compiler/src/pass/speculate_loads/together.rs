//! Branches that are rarely taken: several of them are executed, or left out, together.
//!
//! Why: nearly all elements of a banded matrix are outside of the band, mostly those of neighbouring work-items and iterations
//! together. A load from a selected address is executed for each of them. With one branch around several such loads, whole
//! sub-groups skip all of them, and sub-groups that execute them still have all of them in flight at the same time.

use super::{Branch, Safe};
use crate::ir::analysis::is_pure;
use crate::ir::walk::{Parents, Replacements};
use crate::ir::{BinOp, CmpOp, EntityRef, Function, Inst, Op, Region, Ty, UnOp, Value, ValueDef};
use crate::pass::analysis::uniformity::Uniformity;

/// The most loads in one branch.
const MOST: usize = 16;

/// The most parts of a condition that are examined.
const MAX_PARTS: usize = 64;

/// What decides whether branches are taken, for the function as it was before the pass changed it.
pub(super) struct Frequencies {
    uniformity: Uniformity,
    /// Later values are the pass's own.
    values: usize,
}

impl Frequencies {
    pub(super) fn new(func: &Function, parents: &Parents) -> Frequencies {
        Frequencies {
            uniformity: Uniformity::new(func, parents, false),
            values: func.values.len(),
        }
    }

    /// Returns whether a branch loads only within a window between limits that differ between work-items or iterations.
    /// Limits that are the same for all are those of an array, which most indices do not exceed.
    pub(super) fn is_rare(&self, func: &Function, parents: &Parents, branch: Inst, if_true: bool) -> bool {
        let cond = func.insts[branch].args[0];
        let around = std::iter::successors(Some(branch), |&i| parents.enclosing(i));
        let mut search = Search {
            func,
            parents,
            frequencies: self,
            loop_: { around }.find(|&i| func.insts[i].op == Op::Loop),
            budget: MAX_PARTS,
        };
        search.moving_limits(cond, if_true) >= 2
    }
}

/// The examination of one condition.
struct Search<'a> {
    func: &'a Function,
    parents: &'a Parents,
    frequencies: &'a Frequencies,
    /// The innermost loop around the branch.
    loop_: Option<Inst>,
    budget: usize,
}

impl Search<'_> {
    /// Returns the least number of comparisons of two changing values that must hold so that a condition is `wanted`.
    fn moving_limits(&mut self, cond: Value, wanted: bool) -> usize {
        let Some(inst) = self.func.def_inst(cond).filter(|_| self.budget != 0) else {
            return 0;
        };
        self.budget -= 1;
        let data = &self.func.insts[inst];
        match data.op {
            Op::Binary(op @ (BinOp::And | BinOp::Or)) => {
                let [a, b] = [0, 1].map(|n: usize| self.moving_limits(data.args[n], wanted));
                if wanted == (op == BinOp::And) {
                    a + b
                } else {
                    a.min(b)
                }
            }
            Op::Unary(UnOp::Not) => self.moving_limits(data.args[0], !wanted),
            Op::Compare(op) => {
                let is_limit = !matches!(op, CmpOp::IEq | CmpOp::INe);
                usize::from(is_limit && data.args.iter().all(|&a| self.changes(a)))
            }
            _ => 0,
        }
    }

    /// Returns whether a value differs between work-items of a sub-group or between iterations of the loop.
    fn changes(&self, value: Value) -> bool {
        if value.index() >= self.frequencies.values || self.frequencies.uniformity.varies(value) {
            return true;
        }
        let region = match self.func.values[value].def {
            ValueDef::Inst(inst, _) => self.parents.region(inst),
            ValueDef::Arg(region, _) => Some(region),
            ValueDef::Param(_) | ValueDef::Const(_) => None,
        };
        let owner = region.and_then(|r| self.parents.owner(r));
        let mut around = std::iter::successors(owner, |&i| self.parents.enclosing(i));
        around.any(|i| Some(i) == self.loop_)
    }
}

/// Puts rare branches of a region into branches around several of them. Returns whether there were any.
pub(super) fn gather(
    func: &mut Function,
    region: Region,
    branches: Vec<Branch>,
    outside: &[Safe],
    replacements: &mut Replacements,
) -> bool {
    let insts = std::mem::take(&mut func.regions[region].insts);
    let mut changed = false;
    let mut inside: Vec<Safe> = Vec::new();
    let mut next = branches.into_iter().peekable();
    let mut group = Group::default();
    for inst in insts {
        let branch = next.next_if(|b| b.inst == inst);
        let safe = branch.as_ref().and_then(|b| {
            let mut known = outside.iter().chain(&inside);
            known.find(|s| s.suits(func, b)).map(|s| s.address)
        });
        let is_member = safe.is_some();
        if !group.members.is_empty() && !group.can_follow(func, inst, is_member) {
            changed |= std::mem::take(&mut group).emit(func, region, replacements);
        }
        match (branch, safe) {
            (Some(branch), Some(safe)) => {
                group.after.push(inst);
                group.members.push((branch, safe));
                group.note(func, inst);
            }
            _ if group.members.is_empty() => {
                inside.extend(Safe::of(func, inst));
                func.regions[region].insts.push(inst);
            }
            _ if group.is_dependent(func, inst) => {
                group.after.push(inst);
                group.note(func, inst);
            }
            _ => group.before.push(inst),
        }
    }
    group.emit(func, region, replacements) | changed
}

/// Branches that become one.
#[derive(Default)]
struct Group {
    /// With the addresses that can be loaded from without the condition of the branch.
    members: Vec<(Branch, Value)>,
    /// Instructions between the branches that depend on none of them.
    before: Vec<Inst>,
    /// The others, and the branches themselves.
    after: Vec<Inst>,
    /// For each value, whether it is a result of the branches or depends on one.
    depends: Vec<bool>,
}

impl Group {
    /// Notes that the results of an instruction are not there before the branches.
    fn note(&mut self, func: &Function, inst: Inst) {
        self.depends.resize(func.values.len(), false);
        for result in &func.insts[inst].results {
            self.depends[result.index()] = true;
        }
    }

    /// Returns whether an instruction, or one inside of it, needs the result of a branch.
    fn is_dependent(&self, func: &Function, inst: Inst) -> bool {
        let depends = |value: &Value| self.depends.get(value.index()) == Some(&true);
        let inside = func.insts_inside(inst);
        inside.iter().any(|&i| func.insts[i].args.iter().any(depends))
    }

    /// Returns whether an instruction can become part of the group: a branch if `is_member`, otherwise one that may be executed
    /// before the branches or after them.
    fn can_follow(&self, func: &Function, inst: Inst, is_member: bool) -> bool {
        if is_member {
            return self.members.len() < MOST && !self.is_dependent(func, inst);
        }
        let data = &func.insts[inst];
        matches!(data.op, Op::LoadFrom(_, access) if !access.volatile) || is_pure(data)
    }

    /// Appends the instructions of the group to a region. Returns whether they have changed.
    fn emit(self, func: &mut Function, region: Region, replacements: &mut Replacements) -> bool {
        let Group {
            members,
            before,
            after,
            ..
        } = self;
        if members.len() < 2 {
            // A single branch comes first, as it did.
            let (branch, rest) = after.split_at(after.len().min(1));
            let insts = branch.iter().chain(&before).chain(rest);
            func.regions[region].insts.extend(insts);
            return false;
        }
        func.regions[region].insts.extend(before);
        let span = func.insts[members[0].0.inst].span;
        let [taken, skipped] = [func.new_region(&[]), func.new_region(&[])];
        let is_member = |i: &Inst| members.iter().any(|(branch, _)| branch.inst == *i);
        let after: Vec<Inst> = after.into_iter().filter(|i| !is_member(i)).collect();
        let (mut old, mut values, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let mut any = None;
        for (branch, safe) in members {
            let cond = branch.condition(func, region);
            any = match any {
                Some(any) => {
                    let or = func.new_inst(Op::Binary(BinOp::Or), [any, cond], &[Ty::BOOL], span);
                    func.regions[region].insts.push(or);
                    func.insts[or].results.first().copied()
                }
                None => Some(cond),
            };
            old.extend_from_slice(&func.insts[branch.inst].results);
            others.extend(branch.without_load(func, region));
            values.extend(branch.flatten(func, taken, safe));
        }
        let types: Vec<Ty> = old.iter().map(|&v| func.ty(v)).collect();
        let guard = func.new_inst(Op::If, any.as_slice(), &types, span);
        func.insts[guard].regions.extend([taken, skipped]);
        for (arm, values) in [(taken, values), (skipped, others)] {
            let exit = func.new_inst(Op::Exit(guard), values, &[], span);
            func.regions[arm].insts.push(exit);
        }
        for (old, new) in old.into_iter().zip(func.insts[guard].results.clone()) {
            replacements.set(old, new);
        }
        func.regions[region].insts.push(guard);
        func.regions[region].insts.extend(after);
        true
    }
}
