//! Values of which a driver may find out that they are constants.
//!
//! The driver folds what `const_fold` leaves, because it takes vectors apart, unrolls loops with barriers, and knows the
//! size of the work-groups when it makes a pipeline: a lane of a vector that is computed from constants only, `(float)k`
//! with the counter k of a loop, `get_local_size(0) - 1`, and choices by such numbers. What matters is whether one of them
//! may be 0.
//!
//! For drivers with shortcuts for zeros, constants of float types do not count where a loop begins or repeats:
//! `hide_operands` hides them there (`passed_constants`), which costs nothing within the loop. So the sums and products of
//! a loop are not known to such a driver. What leaves a branch or a loop counts if the driver may find out the way.
//!
//! Within a branch, the driver knows what its condition says: `if (n == 3) x * (float)(n - 3)`. So the analysis keeps a
//! list of what holds at the place that it looks at.

use super::zeros::{has_shortcuts, operands_with_shortcuts};
use crate::hash::HashSet;
use crate::intrinsic::Intrinsic;
use crate::ir::analysis::is_pure;
use crate::ir::walk::Parents;
use crate::ir::{
    BinOp, CastOp, CmpOp, Const, EntityRef, Func, Function, Inst, InstData, Module, Op, Region, Scalar, UnOp,
    Value, ValueDef,
};

/// The lanes of a value, as masks.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
pub(super) struct Lanes {
    /// Those that the driver may find out to be constants.
    known: u32,
    /// Those of them that may be 0.
    zero: u32,
}

impl Lanes {
    /// Returns whether the driver may find out any of them.
    pub(super) fn are_known(self) -> bool {
        self.known != 0
    }

    /// Lanes of which nothing else is known.
    fn any(known: u32) -> Lanes {
        Lanes { known, zero: known }
    }

    fn or(self, other: Lanes) -> Lanes {
        Lanes {
            known: self.known | other.known,
            zero: self.zero | other.zero,
        }
    }

    /// The same, moved to other lanes.
    fn shifted(self, lanes: u32) -> Lanes {
        Lanes {
            known: self.known << lanes,
            zero: self.zero << lanes,
        }
    }

    /// Returns lane `n` alone.
    fn lane(self, n: u32) -> Lanes {
        Lanes {
            known: self.known >> n & 1,
            zero: self.zero >> n & 1,
        }
    }

    /// The lanes of a result of which each may depend on all lanes.
    fn spread(self, count: u32) -> Lanes {
        let all = |mask: u32| if mask == 0 { 0 } else { full(count) };
        Lanes {
            known: all(self.known),
            zero: all(self.zero),
        }
    }
}

/// Returns the mask of the first `lanes` lanes.
fn full(lanes: u32) -> u32 {
    u32::MAX >> (32 - lanes.clamp(1, 32))
}

/// Returns, for each function of a module, what the driver may find out about its parameters, because it inlines the
/// function: those that are constants in some call. `hides_zeros`: zeros of float types are hidden in calls.
pub(super) fn passed(module: &Module, hides_zeros: bool) -> Vec<Vec<Lanes>> {
    let mut passed: Vec<Vec<Lanes>> = module
        .funcs
        .iter()
        .map(|(_, f)| vec![Lanes::default(); f.params.len()])
        .collect();
    let is_call = |data: &InstData| match data.op {
        Op::CallPure(callee) => Some(callee),
        _ => None,
    };
    let calls: Vec<(Func, Func, Inst)> = module
        .funcs
        .iter()
        .flat_map(|(f, func)| {
            let insts = func.insts_in_order().into_iter();
            insts.filter_map(move |inst| Some((f, is_call(&func.insts[inst])?, inst)))
        })
        .collect();
    let mut changed = !calls.is_empty();
    while std::mem::take(&mut changed) {
        for &(caller, callee, inst) in &calls {
            let func = &module.funcs[caller];
            for (n, &arg) in func.insts[inst].args.iter().enumerate() {
                let lanes = match &func.values[arg].def {
                    ValueDef::Const(Const::Bits(bits)) => of_constant(func, arg, bits),
                    ValueDef::Param(m) => passed[caller.index()][*m as usize],
                    ValueDef::Const(Const::Undef) | ValueDef::Inst(..) | ValueDef::Arg(..) => {
                        Lanes::default()
                    }
                };
                let is_hidden = hides_zeros && lanes.zero != 0 && func.ty(arg).scalar.is_float();
                let old = &mut passed[callee.index()][n];
                let new = match is_hidden {
                    true => *old,
                    false => old.or(lanes),
                };
                changed |= *old != new;
                *old = new;
            }
        }
    }
    passed
}

/// Returns the lanes of a constant.
fn of_constant(func: &Function, value: Value, bits: &[u64]) -> Lanes {
    let zeros = bits.iter().enumerate();
    Lanes {
        known: full(bits.len() as u32),
        zero: zeros.fold(0, |mask, (n, &bits)| {
            mask | u32::from(is_zero(func, value, bits)) << n
        }),
    }
}

/// Returns the value whose bits another one has: NIR's values have no types.
fn root(func: &Function, mut value: Value) -> Value {
    while let Some(def) = func.def_inst(value) {
        let data = &func.insts[def];
        let is_moved =
            data.op == Op::Cast(CastOp::Bitcast) && func.ty(data.args[0]).lanes == func.ty(value).lanes;
        if !is_moved {
            break;
        }
        value = data.args[0];
    }
    value
}

/// What a driver may find out about the values of a function.
#[derive(Default)]
pub(super) struct Found {
    /// Empty if the function has no operation for which this matters.
    lanes: Vec<Lanes>,
    /// For each structured instruction, whether the driver may find out which way a branch in it goes.
    decided: Vec<bool>,
    /// What holds at the place that the analysis looks at, because of the branch that has led there.
    assumed: Vec<(Value, Lanes)>,
    /// The operands with shortcuts that are no constants, but of which the driver may find out that some lane is 0.
    zeros: HashSet<(Inst, usize)>,
    /// Whether zeros are hidden from shortcuts of the driver, and constants of float types where a loop begins or repeats.
    hides_zeros: bool,
    /// Whether an operation of the function has a shortcut for zeros.
    has_shortcuts: bool,
}

impl Found {
    /// Looks at a function. All numbers count as unknown at first; the analysis adds to them until nothing changes.
    /// `passed`: what the driver may find out about the parameters. `hides_zeros`: zeros are hidden from shortcuts of the driver.
    pub(super) fn of(func: &Function, passed: &[Lanes], hides_zeros: bool) -> Found {
        let order = func.insts_in_order();
        let any_shortcut = hides_zeros && order.iter().any(|&inst| has_shortcuts(func, inst));
        let may_matter =
            |&inst: &Inst| is_conversion_to_integer(func, inst) || may_choose(func, inst, hides_zeros);
        if !any_shortcut && !order.iter().any(may_matter) {
            return Found::default();
        }
        let mut found = Found {
            lanes: vec![Lanes::default(); func.values.len()],
            decided: vec![false; func.insts.len()],
            hides_zeros,
            has_shortcuts: any_shortcut,
            ..Found::default()
        };
        for (&param, &lanes) in func.params.iter().zip(passed) {
            found.add(param, lanes);
        }
        let parents = Parents::new(func);
        while found.sweep(func, &parents, func.body) {}
        found
    }

    /// Returns whether an operand is no constant, but the driver may find out that some lane is the constant 0.
    pub(super) fn has_zero(&self, inst: Inst, n: usize) -> bool {
        self.zeros.contains(&(inst, n))
    }

    /// Returns the lanes of a value that are constants, or of which the driver may find out that they are.
    pub(super) fn known(&self, func: &Function, value: Value) -> u32 {
        self.of_operand(func, value).known
    }

    /// Returns the lanes of a value that are the constant 0, or of which the driver may find out that they are.
    pub(super) fn zero(&self, func: &Function, value: Value) -> u32 {
        self.of_operand(func, value).zero
    }

    /// Returns the indices of the operands that are hidden because an instruction passes them to a loop.
    pub(super) fn passed_constants(&self, func: &Function, inst: Inst) -> Vec<usize> {
        let data = &func.insts[inst];
        if !self.has_shortcuts || !matches!(data.op, Op::Loop | Op::Repeat(_)) {
            return Vec::new();
        }
        let is_hidden = |n: &usize| is_float_constant(func, data.args[*n]);
        (0..data.args.len()).filter(is_hidden).collect()
    }

    /// Returns the lanes of an operand.
    fn of_operand(&self, func: &Function, value: Value) -> Lanes {
        match func.as_const(value) {
            Some(Const::Bits(bits)) => of_constant(func, value, bits),
            Some(Const::Undef) => Lanes::default(),
            None => {
                let lanes = self.lanes.get(value.index()).copied().unwrap_or_default();
                self.assumed_of(func, value).fold(lanes, Lanes::or)
            }
        }
    }

    /// Returns what holds for a value because of the branches around.
    fn assumed_of(&self, func: &Function, value: Value) -> impl Iterator<Item = Lanes> {
        let root = match self.assumed.is_empty() {
            true => value,
            false => root(func, value),
        };
        let list = self.assumed.iter().filter(move |(assumed, _)| *assumed == root);
        list.map(|(_, lanes)| *lanes)
    }

    /// Adds what the driver may find out about a value. Returns whether that is new.
    fn add(&mut self, value: Value, lanes: Lanes) -> bool {
        let old = &mut self.lanes[value.index()];
        let new = old.or(lanes);
        let changed = *old != new;
        *old = new;
        changed
    }

    /// Looks at the instructions of a region. Returns whether something was found.
    fn sweep(&mut self, func: &Function, parents: &Parents, region: Region) -> bool {
        let mut changed = false;
        let before = self.assumed.len();
        for &inst in &func.regions[region].insts {
            changed |= self.visit(func, parents, inst);
            let regions = &func.insts[inst].regions;
            for (n, &inner) in regions.iter().enumerate() {
                let outside = self.assumed.len();
                self.assume_way(func, inst, n);
                changed |= self.sweep(func, parents, inner);
                self.assumed.truncate(outside);
            }
            // What follows is executed on one way only.
            let goes_on = |&n: &usize| {
                let last = func.terminator(regions[n]).map(|last| &func.insts[last].op);
                last == Some(&Op::Exit(inst))
            };
            let mut ways = (0..regions.len()).filter(goes_on);
            if let (Some(n), None) = (ways.next(), ways.next()) {
                self.assume_way(func, inst, n);
            }
        }
        self.assumed.truncate(before);
        changed
    }

    /// Assumes what holds where way `n` of a branch is taken: NIR replaces an integer by a constant where the two have been
    /// compared.
    fn assume_way(&mut self, func: &Function, branch: Inst, n: usize) {
        let data = &func.insts[branch];
        match &data.op {
            Op::If => self.assume(func, data.args[0], n == 0),
            Op::Switch(cases) if n < cases.len() => {
                self.assumed.push((root(func, data.args[0]), Lanes::any(1)));
            }
            _ => {}
        }
    }

    /// Assumes that a condition is true, or false.
    fn assume(&mut self, func: &Function, condition: Value, is_true: bool) {
        self.assumed.push((root(func, condition), Lanes::any(1)));
        let Some(def) = func.def_inst(condition) else {
            return;
        };
        let data = &func.insts[def];
        match (&data.op, is_true) {
            (Op::Binary(BinOp::And), true) | (Op::Binary(BinOp::Or), false) => {
                for &arg in &data.args {
                    self.assume(func, arg, is_true);
                }
            }
            (Op::Unary(UnOp::Not), _) => self.assume(func, data.args[0], !is_true),
            (Op::Compare(CmpOp::IEq), true) | (Op::Compare(CmpOp::INe), false) => {
                for (n, &arg) in data.args.iter().enumerate() {
                    let other = self.of_operand(func, data.args[1 - n]);
                    if other.known != 0 {
                        self.assumed.push((root(func, arg), other));
                    }
                }
            }
            _ => {}
        }
    }

    /// Looks at an instruction. Returns whether something was found.
    fn visit(&mut self, func: &Function, parents: &Parents, inst: Inst) -> bool {
        let data = &func.insts[inst];
        let zeros = operands_with_shortcuts(func, inst).filter(|&n| {
            func.as_const(data.args[n]).is_none() && self.of_operand(func, data.args[n]).zero != 0
        });
        let zeros: Vec<_> = zeros.collect();
        self.zeros.extend(zeros.into_iter().map(|n| (inst, n)));
        let targets = match data.op {
            Op::Loop => &func.regions[data.regions[0]].args,
            Op::Repeat(target) => &func.regions[func.insts[target].regions[0]].args,
            Op::Exit(target) if self.decided[target.index()] => &func.insts[target].results,
            Op::If | Op::Switch(_) if self.known(func, data.args[0]) != 0 => {
                return self.decide(parents, inst);
            }
            _ if data.op.is_structured() || data.op.is_terminator() => return false,
            _ => {
                let mut changed = false;
                for &result in &data.results {
                    let lanes = self.of_result(func, inst, result);
                    changed |= self.add(result, lanes);
                }
                return changed;
            }
        };
        let leaves = matches!(data.op, Op::Exit(_));
        let mut changed = false;
        for (&target, &arg) in targets.iter().zip(&data.args) {
            if leaves || !self.hides_zeros || !is_float_constant(func, arg) {
                let lanes = self.of_operand(func, arg);
                changed |= self.add(target, lanes);
            }
        }
        changed
    }

    /// Notes that the driver may find out which way a branch goes. Returns whether that is new.
    fn decide(&mut self, parents: &Parents, branch: Inst) -> bool {
        let mut changed = false;
        let mut at = Some(branch);
        while let Some(inst) = at {
            changed |= !std::mem::replace(&mut self.decided[inst.index()], true);
            at = parents.enclosing(inst);
        }
        changed
    }

    /// Returns the lanes of a result of an instruction.
    fn of_result(&self, func: &Function, inst: Inst, result: Value) -> Lanes {
        let data = &func.insts[inst];
        let count = u32::from(func.ty(result).lanes);
        let of = |n: usize| self.of_operand(func, data.args[n]);
        match &data.op {
            Op::Construct => {
                let mut at = 0;
                data.args.iter().fold(Lanes::default(), |lanes, &part| {
                    let part_lanes = self.of_operand(func, part).shifted(at);
                    at += u32::from(func.ty(part).lanes);
                    lanes.or(part_lanes)
                })
            }
            Op::Splat => of(0).spread(count),
            Op::Extract(n) => of(0).lane(u32::from(*n)),
            Op::Insert(n) => {
                let rest = !(1 << n);
                let vector = of(0);
                let kept = Lanes {
                    known: vector.known & rest,
                    zero: vector.zero & rest,
                };
                kept.or(of(1).shifted(u32::from(*n)))
            }
            Op::Shuffle(mask) => {
                let both = of(0).or(of(1).shifted(u32::from(func.ty(data.args[0]).lanes)));
                let lanes = mask.iter().enumerate().filter(|(_, from)| **from != 0xff);
                lanes.fold(Lanes::default(), |lanes, (to, from)| {
                    lanes.or(both.lane(u32::from(*from)).shifted(to as u32))
                })
            }
            Op::Unary(UnOp::FNeg)
            | Op::Cast(CastOp::SToF | CastOp::UToF | CastOp::ZExt | CastOp::SExt)
            | Op::Intrinsic(Intrinsic::FAbs) => of(0),
            Op::Cast(CastOp::Bitcast) if func.ty(data.args[0]).lanes == func.ty(result).lanes => of(0),
            Op::Cast(CastOp::Bitcast) => of(0).spread(count),
            Op::Select => self.of_choice(func, data, count),
            Op::Intrinsic(i) if data.args.is_empty() => match i {
                // Specialization constants.
                Intrinsic::WorkgroupSize | Intrinsic::DeviceGroupSize | Intrinsic::WorkDim => Lanes {
                    known: full(count),
                    zero: 0,
                },
                Intrinsic::GlobalOffsetConstant => Lanes::any(full(count)),
                // The driver knows them in groups of one work-item.
                Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId => Lanes::any(full(count)),
                _ => Lanes::default(),
            },
            _ if !is_pure(data) || data.args.is_empty() => Lanes::default(),
            // Their operands with zeros are hidden.
            _ if self.hides_zeros && operands_with_shortcuts(func, inst).any(|n| of(n).zero != 0) => {
                Lanes::default()
            }
            _ => {
                let args = 0..data.args.len();
                let all = args.clone().fold(full(count), |all, n| {
                    all & self.spread_operand(func, data.args[n], count).known
                });
                Lanes::any(args.fold(all, |known, n| known | self.absorbing(func, data, n, count)))
            }
        }
    }

    /// Returns the lanes of an operand as lanes of the result.
    fn spread_operand(&self, func: &Function, value: Value, count: u32) -> Lanes {
        let lanes = self.of_operand(func, value);
        match u32::from(func.ty(value).lanes) == count {
            true => lanes,
            false => lanes.spread(count),
        }
    }

    /// Returns the lanes of a result that operand `n` may make constant, whatever the other operands are.
    fn absorbing(&self, func: &Function, data: &InstData, n: usize, count: u32) -> u32 {
        let lanes = self.spread_operand(func, data.args[n], count);
        let is_constant = func.as_const(data.args[n]).is_some();
        match data.op {
            Op::Binary(BinOp::And | BinOp::IMul | BinOp::FMul) => lanes.zero,
            Op::Binary(BinOp::Shl | BinOp::AShr | BinOp::LShr | BinOp::UDiv | BinOp::SDiv | BinOp::FDiv)
                if n == 0 =>
            {
                lanes.zero
            }
            // `const_fold` knows what a constant operand makes of these.
            Op::Binary(BinOp::Or | BinOp::URem | BinOp::SRem) | Op::Compare(_) if !is_constant => lanes.known,
            Op::Intrinsic(_) if !is_constant => lanes.zero,
            _ => 0,
        }
    }

    /// Returns the lanes of a choice: the driver may know the condition, or both sides are 0.
    fn of_choice(&self, func: &Function, data: &InstData, count: u32) -> Lanes {
        let of = |n: usize| self.of_operand(func, data.args[n]);
        let (a, b) = (of(1), of(2));
        let condition = self.spread_operand(func, data.args[0], count).known;
        let both = Lanes::any(a.zero & b.zero);
        let chosen = a.or(b);
        both.or(Lanes {
            known: condition & chosen.known,
            zero: condition & chosen.zero,
        })
    }
}

/// Returns whether an instruction is a conversion of a float to an integer.
pub(super) fn is_conversion_to_integer(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::Cast(CastOp::FToS | CastOp::FToU))
}

/// Returns whether an instruction is a choice between numbers, or a side of one. `with_integers`: integers with the bits of floats count.
fn may_choose(func: &Function, inst: Inst, with_integers: bool) -> bool {
    let data = &func.insts[inst];
    let is_number = |&value: &Value| {
        let scalar = func.ty(value).scalar;
        scalar.is_float() || with_integers && scalar != Scalar::Bool
    };
    matches!(data.op, Op::Select | Op::Exit(_)) && data.args.iter().any(is_number)
}

/// Returns whether a value is a constant of a float type.
fn is_float_constant(func: &Function, value: Value) -> bool {
    func.ty(value).scalar.is_float() && matches!(func.as_const(value), Some(Const::Bits(_)))
}

/// Returns whether a lane of a value with these bits is 0, with either sign: the bits of an integer may be those of a float.
fn is_zero(func: &Function, value: Value, bits: u64) -> bool {
    match func.ty(value).scalar.bits() {
        0 | 1 => bits == 0,
        width => bits & !(1 << (width - 1)) == 0,
    }
}
