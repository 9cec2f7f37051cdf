//! Divergence analysis: which values are the same for all work-items of a sub-group.
//!
//! All values are assumed to be uniform at first. The analysis marks values as varying and instructions as
//! divergent until nothing changes.

use crate::intrinsic::Intrinsic;
use crate::ir::analysis::is_pure;
use crate::ir::walk::Parents;
use crate::ir::{EntityRef, Function, Inst, Op, Storage, Value, ValueDef};

/// The facts about a kernel's function.
pub struct Uniformity {
    /// For each value, whether it varies.
    varying: Vec<bool>,
    /// For each structured instruction, whether work-items of a sub-group may leave or repeat it separately.
    divergent: Vec<bool>,
    /// Whether some work-items may return while others do not.
    returns: bool,
    /// Whether the work-items of a sub-group are neighbours in the first dimension.
    in_rows: bool,
    /// Whether the work-items of a sub-group may be of several work-groups.
    packs: bool,
    changed: bool,
}

impl Uniformity {
    /// Analyses a function as it is now, after `lower_system_values` and `lower_memory`. `in_rows` says whether the work-items
    /// of each sub-group differ in the first dimension only.
    pub fn new(func: &Function, parents: &Parents, in_rows: bool) -> Uniformity {
        Uniformity::of_groups(func, parents, in_rows, false)
    }

    /// The same; `packs` says whether the work-items of a sub-group may be of several work-groups.
    pub fn of_groups(func: &Function, parents: &Parents, in_rows: bool, packs: bool) -> Uniformity {
        let mut u = Uniformity {
            varying: vec![false; func.values.len()],
            divergent: vec![false; func.insts.len()],
            returns: false,
            in_rows,
            packs,
            changed: true,
        };
        for &param in &func.params {
            u.varying[param.index()] = true;
        }
        let order = func.insts_in_order();
        while std::mem::take(&mut u.changed) {
            for &inst in &order {
                u.visit(func, parents, inst);
            }
        }
        u
    }

    /// Returns whether a value may differ between work-items of a sub-group.
    pub fn varies(&self, value: Value) -> bool {
        self.varying[value.index()]
    }

    /// Returns whether work-items of a sub-group may leave or repeat a structured instruction separately.
    pub fn is_divergent(&self, inst: Inst) -> bool {
        self.divergent[inst.index()]
    }

    /// Returns whether all work-items of the sub-group that started the kernel execute each iteration of a
    /// loop together.
    pub fn all_are_in(&self, parents: &Parents, loop_: Inst) -> bool {
        let mut at = Some(loop_);
        while let Some(inst) = at {
            if self.divergent[inst.index()] {
                return false;
            }
            at = parents.enclosing(inst);
        }
        !self.returns
    }

    /// Marks the results of an instruction, and the targets of a jump, if they vary.
    fn visit(&mut self, func: &Function, parents: &Parents, inst: Inst) {
        let data = &func.insts[inst];
        let any = |u: &Self| data.args.iter().any(|&a| u.varies(a));
        let varies = match &data.op {
            Op::Extract(n) if is_id(func, data.args[0]) => *n == 0 || !self.in_rows,
            Op::Intrinsic(Intrinsic::WorkgroupId) => self.packs,
            Op::Intrinsic(
                Intrinsic::WorkgroupSize
                | Intrinsic::DeviceGroupSize
                | Intrinsic::NumWorkgroups
                | Intrinsic::GlobalOffsetConstant
                | Intrinsic::WorkDim
                | Intrinsic::SubgroupMaxSize,
            ) => false,
            Op::Intrinsic(i) => i.is_work_item() || i.is_convergent() || !is_pure(data) || any(self),
            Op::LoadFrom(Storage::PushWord | Storage::ArgsWord, _) => any(self),
            Op::If | Op::Switch(_) => {
                // Only some of the work-items are in each arm, and in everything inside of it.
                if any(self) {
                    self.diverge(inst);
                }
                self.divergent[inst.index()]
            }
            Op::Block => self.divergent[inst.index()],
            Op::Loop => {
                let region = data.regions[0];
                for (n, &arg) in func.regions[region].args.iter().enumerate() {
                    if self.divergent[inst.index()] || self.varies(data.args[n]) {
                        self.vary(arg);
                    }
                }
                self.divergent[inst.index()]
            }
            Op::Exit(target) => {
                self.jump(parents, inst, Some(*target));
                for (n, &arg) in data.args.iter().enumerate() {
                    if self.varies(arg) {
                        self.vary(func.insts[*target].results[n]);
                    }
                }
                false
            }
            Op::Repeat(target) => {
                self.jump(parents, inst, Some(*target));
                let region = func.insts[*target].regions[0];
                for (n, &arg) in data.args.iter().enumerate() {
                    if self.varies(arg) {
                        self.vary(func.regions[region].args[n]);
                    }
                }
                false
            }
            Op::Return => {
                self.jump(parents, inst, None);
                false
            }
            _ => !is_pure(data) || any(self),
        };
        if varies {
            for &result in &data.results {
                self.vary(result);
            }
        }
    }

    /// Marks the target of a jump as divergent if only some of the work-items in an instruction that it
    /// leaves take the jump.
    fn jump(&mut self, parents: &Parents, jump: Inst, target: Option<Inst>) {
        let mut at = parents.enclosing(jump);
        while let Some(inst) = at.filter(|&i| Some(i) != target) {
            if self.divergent[inst.index()] {
                match target {
                    Some(target) => self.diverge(target),
                    None => {
                        self.changed |= !self.returns;
                        self.returns = true;
                    }
                }
                return;
            }
            at = parents.enclosing(inst);
        }
    }

    fn vary(&mut self, value: Value) {
        let known = &mut self.varying[value.index()];
        self.changed |= !*known;
        *known = true;
    }

    fn diverge(&mut self, inst: Inst) {
        let known = &mut self.divergent[inst.index()];
        self.changed |= !*known;
        *known = true;
    }
}

/// Returns whether a vector holds the position of a work-item, one dimension in each lane.
fn is_id(func: &Function, value: Value) -> bool {
    match func.values[value].def {
        ValueDef::Inst(inst, _) => matches!(
            func.insts[inst].op,
            Op::Intrinsic(
                Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId | Intrinsic::GlobalInvocationId
            )
        ),
        ValueDef::Const(_) | ValueDef::Param(_) | ValueDef::Arg(..) => false,
    }
}
