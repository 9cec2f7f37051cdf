//! Replaces the loads from one buffer in both arms of a branch by one load after it.
//!
//! Why: `if (x <= y) r = a[f(x, y)]; else r = a[g(x, y)];` is how programs read symmetric and packed matrices.
//! A load in an arm of a branch can neither be started before the loads of other iterations have ended nor be
//! merged with them. With the address selected, there is one load and no branch.
//! In:  any module, before `lower_memory`.
//! Out: an `if` becomes one load and selects if each arm consists of cheap arithmetic without effects and of one load
//!      whose value is only passed on, and if both loads are from global or constant memory at offsets from the same
//!      pointer. A select chooses the offset; the other results become selects, too.
//!
//! Inner `if`s come first, so that nested ones vanish together. The pass does not touch an `if` of which only one
//! arm loads from a buffer: the other arm may be there because the address does not exist. For memory of the work-group
//! there is an address that exists, the start of the object; on GPUs, such `if`s are replaced, too (`near`).

mod near;

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::walk::Replacements;
use crate::ir::{
    Access, AddressSpace, BinOp, EntityRef, Function, Inst, Module, Op, Region, Scalar, Ty, Value,
};
use crate::source::Span;

pub const PASS: Pass = Pass {
    name: "sink_loads",
    about: "Replaces the loads in both arms of a branch by one load after it, from a selected address.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The most operations in one arm that are executed although the arm is not taken, by their costs.
const MAX_COST: usize = 32;

/// What a division of integers by a constant costs, in additions: a product, its high half, and a shift.
const DIVISION: usize = 4;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let is_gpu = !cx.target.costs.lane_by_lane;
    for (f, func) in module.funcs.iter_mut() {
        changed |= sink(func);
        if is_gpu {
            let objects = near::Objects {
                globals: &module.globals,
                kernel: module.kernels.iter().find(|k| k.func == f),
            };
            changed |= near::flatten(func, objects);
        }
    }
    Ok(changed.into())
}

/// Replaces the `if`s of a function, and returns whether there were any.
fn sink(func: &mut Function) -> bool {
    let loads_in = |func: &Function, r: Region| {
        let mut insts = func.regions[r].insts.iter();
        insts.any(|&i| matches!(func.insts[i].op, Op::Load(_)))
    };
    let regions = func.regions_in_order();
    if !regions.iter().any(|&r| loads_in(func, r)) {
        return false;
    }
    let jumps = Jumps::new(func);
    let mut uses = count_uses(func);
    let mut replacements = Replacements::default();
    let mut changed = false;
    for &region in regions.iter().rev() {
        let is_if = |i: &Inst| func.insts[*i].op == Op::If;
        if !func.regions[region].insts.iter().any(is_if) {
            continue;
        }
        for inst in std::mem::take(&mut func.regions[region].insts) {
            // The results of inner `if`s that have vanished are operands here.
            for n in 0..func.insts[inst].args.len() {
                let arg = func.insts[inst].args[n];
                func.insts[inst].args[n] = replacements.get(arg);
            }
            match plan(func, &jumps, &uses, inst) {
                Some(results) => {
                    changed = true;
                    replace(func, region, inst, &results, &mut uses, &mut replacements);
                }
                None => func.regions[region].insts.push(inst),
            }
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// Counts how often each value is an operand.
fn count_uses(func: &Function) -> Vec<u32> {
    let mut uses = vec![0; func.values.len()];
    for inst in func.insts_in_order() {
        for arg in func.insts[inst].args.iter() {
            uses[arg.index()] += 1;
        }
    }
    uses
}

/// How a result of the `if` is computed without it.
enum Outcome {
    /// Select one of these.
    Either(Value, Value),
    /// Load from an offset from a pointer.
    Load {
        base: Value,
        offsets: [Value; 2],
        access: Access,
        ty: Ty,
    },
}

/// Returns what the results of an `if` are if it can be replaced and at least one of them is loaded.
fn plan(func: &Function, jumps: &Jumps, uses: &[u32], inst: Inst) -> Option<Vec<Outcome>> {
    let data = &func.insts[inst];
    if data.op != Op::If || data.results.is_empty() || jumps.exits(inst).len() != 2 {
        return None;
    }
    let mut ends = Vec::new();
    let mut loads = [0, 0];
    for (arm, loads) in loads.iter_mut().enumerate() {
        let (&end, insts) = func.regions[data.regions[arm]].insts.split_last()?;
        if func.insts[end].op != Op::Exit(inst) {
            return None;
        }
        let mut total = 0;
        for &i in insts {
            match func.insts[i].op {
                Op::Load(access) if !access.volatile => *loads += 1,
                _ => total += cost(func, i)?,
            }
        }
        if total > MAX_COST {
            return None;
        }
        ends.push(end);
    }
    let mut outcomes = Vec::new();
    let mut sunk = 0;
    for (n, &result) in data.results.iter().enumerate() {
        let [a, b] = [0, 1].map(|arm: usize| func.insts[ends[arm]].args[n]);
        let own = |arm: usize, v| load_in(func, uses, data.regions[arm], v);
        if let (Some((p, from_p)), Some((q, from_q))) = (own(0, a), own(1, b))
            && let Some((base, offsets)) = from_one_pointer(func, p, q)
        {
            sunk += 1;
            let access = Access {
                align: from_p.align.min(from_q.align),
                volatile: false,
            };
            let ty = func.ty(result);
            outcomes.push(Outcome::Load {
                base,
                offsets,
                access,
                ty,
            });
        } else {
            // Values without storage, such as image handles, cannot be operands of a select, nor can matrices.
            let scalar = func.ty(result).scalar;
            if scalar != Scalar::Bool && (matches!(scalar, Scalar::Matrix(_)) || scalar.bytes() == 0) {
                return None;
            }
            outcomes.push(Outcome::Either(a, b));
        }
    }
    // Any other load would be executed although its arm is not taken. `merge_accesses` may make one load of several from
    // neighbouring places, which it could not do if each had an address from a select of its own.
    (sunk == 1 && loads == [1, 1]).then_some(outcomes)
}

/// Returns what an instruction costs if it may be executed although its arm is not taken.
pub(super) fn cost(func: &Function, inst: Inst) -> Option<usize> {
    let data = &func.insts[inst];
    match data.op {
        // These are undefined for some divisors.
        Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) => {
            let divisor = func.as_splat(data.args[1])?;
            let ty = func.ty(data.args[1]);
            let ones = u64::MAX >> (64 - 8 * u64::from(ty.scalar.bytes()).clamp(1, 8));
            (divisor != 0 && divisor & ones != ones).then_some(DIVISION)
        }
        // Selecting between the results of long operations would take the time of both.
        Op::Binary(BinOp::FDiv | BinOp::FRem)
        | Op::Intrinsic(_)
        | Op::CallPure(_)
        | Op::ExtractDynamic
        | Op::InsertDynamic => None,
        _ => is_pure(data).then_some(1),
    }
}

/// Returns the address of a value that is loaded in a region and only passed on at its end.
fn load_in(func: &Function, uses: &[u32], region: Region, value: Value) -> Option<(Value, Access)> {
    let inst = func.def_inst(value)?;
    let Op::Load(access) = func.insts[inst].op else {
        return None;
    };
    let is_own = func.regions[region].insts.contains(&inst);
    let once = uses[value.index()] == 1;
    (is_own && once).then(|| (func.insts[inst].args[0], access))
}

/// Returns the pointer from which two pointers have offsets of one type, and the offsets.
fn from_one_pointer(func: &Function, p: Value, q: Value) -> Option<(Value, [Value; 2])> {
    let parts = |v| {
        let data = &func.insts[func.def_inst(v)?];
        (data.op == Op::PtrAdd).then(|| (data.args[0], data.args[1]))
    };
    let ((base, a), (other, b)) = (parts(p)?, parts(q)?);
    // A private array whose elements are known stays a set of values, and so does a table of constants.
    let space = func.ty(base).space()?;
    let is_buffer =
        space == AddressSpace::Global || space == AddressSpace::Constant && func.def_inst(base).is_none();
    (is_buffer && base == other && func.ty(a) == func.ty(b)).then_some((base, [a, b]))
}

/// Appends to a region what computes the results of an `if`, which is not part of the region any more.
fn replace(
    func: &mut Function,
    region: Region,
    inst: Inst,
    results: &[Outcome],
    uses: &mut Vec<u32>,
    replacements: &mut Replacements,
) {
    let (cond, span) = (func.insts[inst].args[0], func.insts[inst].span);
    for arm in func.insts[inst].regions.clone() {
        let mut insts = std::mem::take(&mut func.regions[arm].insts);
        insts.pop();
        insts.retain(|&i| !matches!(func.insts[i].op, Op::Load(_)));
        for &i in &insts {
            // A promise of the source about the result holds only where the arm is taken.
            func.insts[i].no_wrap = false;
        }
        func.regions[region].insts.extend(insts);
    }
    let mut at = Place { func, region, span };
    for (n, outcome) in results.iter().enumerate() {
        let value = match *outcome {
            Outcome::Either(a, b) if a == b => a,
            Outcome::Either(a, b) => at.select(cond, a, b),
            Outcome::Load {
                base,
                offsets: [a, b],
                access,
                ty,
            } => {
                let offset = at.select_inside(cond, a, b);
                let pointer = at.value(Op::PtrAdd, vec![base, offset], at.func.ty(base));
                at.value(Op::Load(access), vec![pointer], ty)
            }
        };
        let result = at.func.insts[inst].results[n];
        replacements.set(result, value);
        uses.resize(at.func.values.len(), 0);
        uses[value.index()] = uses[result.index()];
    }
}

/// The end of a region, where instructions are appended.
struct Place<'f> {
    func: &'f mut Function,
    region: Region,
    span: Span,
}

impl Place<'_> {
    fn value(&mut self, op: Op, args: Vec<Value>, ty: Ty) -> Value {
        let inst = self.func.new_inst(op, args, &[ty], self.span);
        self.func.regions[self.region].insts.push(inst);
        self.func.insts[inst].results[0]
    }

    fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(Op::Select, vec![cond, a, b], ty)
    }

    /// Selects between two numbers; where both are the same operation on different numbers, such as an index
    /// times the size of an element, between these.
    fn select_inside(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let mut outer: Vec<(Op, Option<Value>, Ty)> = Vec::new();
        let (mut a, mut b) = (a, b);
        while let (Some(i), Some(k)) = (self.func.def_inst(a), self.func.def_inst(b)) {
            let (x, y) = (&self.func.insts[i], &self.func.insts[k]);
            let second = x.args.get(1).copied();
            let is_scaling =
                matches!(x.op, Op::Binary(BinOp::IMul | BinOp::Shl)) && second == y.args.get(1).copied();
            if x.op != y.op || !(is_scaling || matches!(x.op, Op::Cast(_))) {
                break;
            }
            let (p, q) = (x.args[0], y.args[0]);
            if self.func.ty(p) != self.func.ty(q) {
                break;
            }
            outer.push((x.op.clone(), second, self.func.ty(a)));
            (a, b) = (p, q);
        }
        let mut value = if a == b { a } else { self.select(cond, a, b) };
        for (op, second, ty) in outer.into_iter().rev() {
            value = self.value(op, std::iter::once(value).chain(second).collect(), ty);
        }
        value
    }
}
