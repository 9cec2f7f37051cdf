//! Rules for regions, terminators, definitions and uses. The check takes time linear in the size of the
//! function.

use super::{Fault, types};
use crate::ir::{Const, EntityRef, Function, Inst, Module, Op, Region, Ty, Unroll, Value, ValueDef};

/// A region that is being checked.
struct Frame {
    region: Region,
    next: usize,
    /// The owner, with the index of this region among the owner's regions.
    owner: Option<(Inst, usize)>,
}

struct Checker<'a> {
    module: &'a Module,
    func: &'a Function,
    /// Whether the definition of each value dominates the current position.
    visible: Vec<bool>,
    inst_seen: Vec<bool>,
    region_seen: Vec<bool>,
    /// Whether the walk is inside each structured instruction.
    open: Vec<bool>,
}

pub(super) fn check(module: &Module, func: &Function) -> Result<(), Fault> {
    let mut c = Checker {
        module,
        func,
        visible: vec![false; func.values.len()],
        inst_seen: vec![false; func.insts.len()],
        region_seen: vec![false; func.regions.len()],
        open: vec![false; func.insts.len()],
    };
    for (v, data) in func.values.iter() {
        match &data.def {
            ValueDef::Const(constant) => {
                c.constant(data.ty, constant)?;
                c.visible[v.index()] = true;
            }
            ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Param(_) => {}
        }
    }
    for (i, &p) in func.params.iter().enumerate() {
        c.define(p, &ValueDef::Param(i as u32)).map_err(Fault::new)?;
    }
    c.walk()
}

impl Checker<'_> {
    fn constant(&self, ty: Ty, constant: &Const) -> Result<(), Fault> {
        types::check_type(ty).map_err(Fault::new)?;
        match constant {
            Const::Undef => Ok(()),
            Const::Bits(lanes) if lanes.len() == ty.lanes as usize => Ok(()),
            Const::Bits(lanes) => Err(Fault::new(format!("a constant {ty} has {} lanes", lanes.len()))),
        }
    }

    fn define(&mut self, v: Value, def: &ValueDef) -> Result<(), String> {
        let Some(data) = self.func.values.get(v) else {
            return Err(format!("value {v} does not exist"));
        };
        if data.def != *def {
            return Err(format!("value {v} says that it is {:?}, not {def:?}", data.def));
        }
        types::check_type(data.ty)?;
        self.visible[v.index()] = true;
        Ok(())
    }

    fn enter(&mut self, region: Region, owner: Option<Inst>) -> Result<(), Fault> {
        let fault = |message: String| Fault { message, inst: owner };
        let Some(data) = self.func.regions.get(region) else {
            return Err(fault(format!("region {region} does not exist")));
        };
        if std::mem::replace(&mut self.region_seen[region.index()], true) {
            return Err(fault(format!("region {region} is owned twice")));
        }
        for (i, &arg) in data.args.iter().enumerate() {
            self.define(arg, &ValueDef::Arg(region, i as u32))
                .map_err(fault)?;
        }
        if data.insts.is_empty() {
            return Err(fault("a region is empty".into()));
        }
        Ok(())
    }

    fn walk(&mut self) -> Result<(), Fault> {
        let func = self.func;
        self.enter(func.body, None)?;
        let mut stack = vec![Frame {
            region: func.body,
            next: 0,
            owner: None,
        }];
        while let Some(frame) = stack.last_mut() {
            let insts = &func.regions[frame.region].insts;
            if let Some(&inst) = insts.get(frame.next) {
                frame.next += 1;
                let is_last = frame.next == insts.len();
                self.inst(inst, is_last)?;
                if let Some(&first) = func.insts[inst].regions.first() {
                    self.open[inst.index()] = true;
                    self.enter(first, Some(inst))?;
                    stack.push(Frame {
                        region: first,
                        next: 0,
                        owner: Some((inst, 0)),
                    });
                } else {
                    self.results(inst)?;
                }
                continue;
            }
            // At the end of a region, its definitions go out of scope.
            let data = &func.regions[frame.region];
            let results = data.insts.iter().flat_map(|&i| &func.insts[i].results);
            for v in data.args.iter().chain(results) {
                self.visible[v.index()] = false;
            }
            let owner = frame.owner;
            stack.pop();
            let Some((inst, number)) = owner else {
                break;
            };
            if let Some(&region) = func.insts[inst].regions.get(number + 1) {
                self.enter(region, Some(inst))?;
                stack.push(Frame {
                    region,
                    next: 0,
                    owner: Some((inst, number + 1)),
                });
            } else {
                self.open[inst.index()] = false;
                self.results(inst)?;
            }
        }
        Ok(())
    }

    fn results(&mut self, inst: Inst) -> Result<(), Fault> {
        for (i, &r) in self.func.insts[inst].results.iter().enumerate() {
            self.define(r, &ValueDef::Inst(inst, i as u32))
                .map_err(|m| Fault::at(inst, m))?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst, is_last: bool) -> Result<(), Fault> {
        let fault = |message: String| Err(Fault::at(inst, message));
        let Some(data) = self.func.insts.get(inst) else {
            return Err(Fault::new(format!("instruction {inst} does not exist")));
        };
        if std::mem::replace(&mut self.inst_seen[inst.index()], true) {
            return fault("the instruction is in two places".into());
        }
        for (i, &arg) in data.args.iter().enumerate() {
            match self.visible.get(arg.index()) {
                Some(true) => {}
                Some(false) => return fault(format!("operand {i} is not defined here")),
                None => return fault(format!("operand {i}, {arg}, does not exist")),
            }
        }
        if data.op.is_terminator() != is_last {
            return fault(if is_last {
                "the region does not end in a terminator".into()
            } else {
                "a terminator is not the last instruction".into()
            });
        }
        match &data.op {
            Op::Exit(target) => self.jump(inst, *target, &self.target_results(*target)),
            Op::Repeat(target) => {
                let types = match self.func.insts.get(*target).map(|t| (&t.op, &t.regions[..])) {
                    Some((Op::Loop, [body])) => self.types(&self.func.regions[*body].args),
                    _ => return fault("the target is no loop".into()),
                };
                self.jump(inst, *target, &types)
            }
            Op::Return => {
                if self.types(&data.args) != self.func.results {
                    return fault("the values returned are not of the function's types".into());
                }
                Ok(())
            }
            Op::Unreachable => Ok(()),
            Op::Block | Op::Loop | Op::If | Op::Switch(_) => self.structured(inst),
            _ => Ok(()),
        }?;
        if data.op != Op::Loop && data.unroll != Unroll::Unsaid {
            return fault("only loops are unrolled".into());
        }
        if matches!(data.unroll, Unroll::By(0 | 1)) {
            return fault("fewer than two iterations in one".into());
        }
        if !data.op.is_structured() && !data.regions.is_empty() {
            return fault("the operation owns no regions".into());
        }
        types::check(self.module, self.func, inst).map_err(|m| Fault::at(inst, m))
    }

    fn types(&self, values: &[Value]) -> Vec<Ty> {
        values.iter().map(|&v| self.func.ty(v)).collect()
    }

    fn target_results(&self, target: Inst) -> Vec<Ty> {
        self.func
            .insts
            .get(target)
            .map(|t| self.types(&t.results))
            .unwrap_or_default()
    }

    fn jump(&self, inst: Inst, target: Inst, types: &[Ty]) -> Result<(), Fault> {
        if !self.open.get(target.index()).copied().unwrap_or(false) {
            return Err(Fault::at(inst, "the target does not enclose the instruction"));
        }
        let passed = self.types(&self.func.insts[inst].args);
        if passed != types {
            let show = |types: &[Ty]| types.iter().map(Ty::to_string).collect::<Vec<_>>().join(", ");
            let message = format!("passes ({}) where ({}) is expected", show(&passed), show(types));
            return Err(Fault::at(inst, message));
        }
        Ok(())
    }

    fn structured(&self, inst: Inst) -> Result<(), Fault> {
        let fault = |message: &str| Err(Fault::at(inst, message));
        let data = &self.func.insts[inst];
        let regions = match &data.op {
            Op::Block | Op::Loop => 1,
            Op::If => 2,
            Op::Switch(cases) => cases.len() + 1,
            _ => return Ok(()),
        };
        if data.regions.len() != regions {
            return fault("the number of regions is wrong");
        }
        for &region in &data.regions {
            let Some(r) = self.func.regions.get(region) else {
                return fault("a region does not exist");
            };
            if data.op == Op::Loop {
                if self.types(&r.args) != self.types(&data.args) {
                    return fault("the region's arguments and the initial values differ in type");
                }
            } else if !r.args.is_empty() {
                return fault("only regions of loops have arguments");
            }
        }
        Ok(())
    }
}
