//! Branches that load from memory of the work-group, and do nothing else that cannot be done without the branch.
//!
//! Why: `if (l >= k) sum += tile[l - k];` is the step of a scan, and `if (x >= 0 && x < w) sum += tile[x] * filter[k];` that of
//! a convolution. Such a load takes less time than a branch that some work-items of a sub-group take and others do not, and
//! loops without branches can be unrolled.
//!
//! Where the branch would not load, the start of the object is loaded. The object is a variable or an argument of a kernel. No
//! more is loaded than it certainly has: the size of the variable, or that of one element of the argument. A parameter of
//! another function may be null, so it is not such an object.

use super::{Place, cost};
use crate::intrinsic::Intrinsic;
use crate::ir::analysis::Jumps;
use crate::ir::walk::Replacements;
use crate::ir::{
    AddressSpace, ArgKind, BinOp, CastOp, Function, Global, GlobalData, Inst, KernelInfo, Map, Op, Region,
    Ty, Value, ValueDef,
};

/// The most loads of one branch, and the most other operations, by their costs.
const MOST: usize = 4;
const MAX_COST: usize = 24;

/// The objects in memory of the work-group that a function can access.
#[derive(Copy, Clone)]
pub(super) struct Objects<'m> {
    pub(super) globals: &'m Map<Global, GlobalData>,
    /// If the function is a kernel, what is known about its arguments.
    pub(super) kernel: Option<&'m KernelInfo>,
}

impl Objects<'_> {
    /// Returns how many bytes the object that a pointer leads to has at least; `None` if there may be no object.
    fn least_size(self, func: &Function, start: Value) -> Option<u32> {
        match func.values[start].def {
            ValueDef::Param(n) => match self.kernel?.args.get(n as usize)?.kind {
                ArgKind::Local { elem_size, .. } => Some(elem_size),
                _ => None,
            },
            ValueDef::Inst(inst, _) => match func.insts[inst].op {
                Op::GlobalAddr(global) => Some(self.globals[global].size),
                _ => None,
            },
            ValueDef::Const(_) | ValueDef::Arg(..) => None,
        }
    }
}

/// Replaces the suitable branches of a function, and returns whether there were any.
pub(super) fn flatten(func: &mut Function, objects: Objects<'_>) -> bool {
    let regions = func.regions_in_order();
    let loads_near = |&r: &Region| func.regions[r].insts.iter().any(|&i| is_near_load(func, i));
    if !regions.iter().any(loads_near) {
        return false;
    }
    let jumps = Jumps::new(func);
    let mut replacements = Replacements::default();
    let mut changed = false;
    // Inner branches come first, so that a branch around them contains none when its turn comes.
    for region in regions.into_iter().rev() {
        if !func.regions[region]
            .insts
            .iter()
            .any(|&i| is_suitable(func, &jumps, objects, i))
        {
            continue;
        }
        for inst in std::mem::take(&mut func.regions[region].insts) {
            if is_suitable(func, &jumps, objects, inst) {
                replace(func, region, inst, &mut replacements);
                changed = true;
            } else {
                func.regions[region].insts.push(inst);
            }
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// Returns whether an instruction loads from memory of the work-group.
fn is_near_load(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    matches!(data.op, Op::Load(access) if !access.volatile)
        && func.ty(data.args[0]).space() == Some(AddressSpace::Local)
        && func.ty(data.results[0]).space().is_none()
}

/// Returns the start of the object that a pointer leads into, and what is added to it: numbers of one type.
fn root(func: &Function, mut pointer: Value) -> Option<(Value, Vec<Value>)> {
    let mut offsets = Vec::new();
    while let Some(inst) = func.def_inst(pointer) {
        let data = &func.insts[inst];
        match data.op {
            Op::PtrAdd => {
                offsets.push(data.args[1]);
                pointer = data.args[0];
            }
            Op::GlobalAddr(_) => break,
            _ => return None,
        }
    }
    let is_start = matches!(func.values[pointer].def, ValueDef::Param(_) | ValueDef::Inst(..));
    let is_one_type = offsets.windows(2).all(|w| func.ty(w[0]) == func.ty(w[1]));
    (is_start && is_one_type && offsets.len() <= MOST).then_some((pointer, offsets))
}

/// Returns what an instruction that does not load costs, in additions, if it can be executed without the branch.
fn near_cost(func: &Function, inst: Inst) -> Option<usize> {
    match func.insts[inst].op {
        Op::PtrAdd | Op::GlobalAddr(_) => Some(1),
        Op::Intrinsic(
            Intrinsic::Fma
            | Intrinsic::FMin
            | Intrinsic::FMax
            | Intrinsic::SMin
            | Intrinsic::SMax
            | Intrinsic::UMin
            | Intrinsic::UMax
            | Intrinsic::FAbs
            | Intrinsic::SAbs,
        ) => Some(1),
        _ => cost(func, inst),
    }
}

/// Returns whether an instruction is a branch that can be replaced.
fn is_suitable(func: &Function, jumps: &Jumps, objects: Objects<'_>, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::If || data.results.is_empty() || jumps.exits(inst).len() != 2 {
        return false;
    }
    let can_select = |&v: &Value| func.ty(v).scalar.matrix().is_none() && func.ty(v).space().is_none();
    if !data.results.iter().all(can_select) {
        return false;
    }
    let (mut loads, mut total) = (0, 0);
    for &region in &data.regions {
        let Some((&end, insts)) = func.regions[region].insts.split_last() else {
            return false;
        };
        if func.insts[end].op != Op::Exit(inst) {
            return false;
        }
        for &i in insts {
            if is_near_load(func, i) {
                let size =
                    root(func, func.insts[i].args[0]).and_then(|(start, _)| objects.least_size(func, start));
                if size.is_none_or(|size| size < func.ty(func.insts[i].results[0]).bytes()) {
                    return false;
                }
                loads += 1;
            } else {
                match near_cost(func, i) {
                    Some(cost) => total += cost,
                    None => return false,
                }
            }
        }
    }
    (1..=MOST).contains(&loads) && total <= MAX_COST
}

/// Appends to a region what a branch computes. The branch is not part of the region any more.
fn replace(func: &mut Function, region: Region, inst: Inst, replacements: &mut Replacements) {
    let (cond, span) = (func.insts[inst].args[0], func.insts[inst].span);
    let mut at = Place { func, region, span };
    let mut ends = Vec::new();
    for (arm, from) in at.func.insts[inst].regions.clone().into_iter().enumerate() {
        let mut insts = std::mem::take(&mut at.func.regions[from].insts);
        ends.extend(insts.pop());
        for i in insts {
            // A promise of the source about the result holds only where the arm is taken.
            at.func.insts[i].no_wrap = false;
            if is_near_load(at.func, i)
                && let Some((start, offsets)) = root(at.func, at.func.insts[i].args[0])
            {
                let pointer = at.inside(cond, arm == 0, start, &offsets);
                at.func.insts[i].args[0] = pointer;
            }
            at.func.regions[region].insts.push(i);
        }
    }
    for n in 0..at.func.insts[inst].results.len() {
        let [a, b] = [0, 1].map(|arm: usize| at.func.insts[ends[arm]].args[n]);
        let value = if a == b { a } else { at.select(cond, a, b) };
        replacements.set(at.func.insts[inst].results[n], value);
    }
}

impl Place<'_> {
    /// Returns the pointer to `start` plus the offsets where the condition is `wanted`, otherwise `start`.
    fn inside(&mut self, cond: Value, wanted: bool, start: Value, offsets: &[Value]) -> Value {
        let Some((&first, rest)) = offsets.split_first() else {
            return start;
        };
        let mut sum = first;
        for &offset in rest {
            sum = self.value(Op::Binary(BinOp::IAdd), vec![sum, offset], self.func.ty(sum));
        }
        // An index of 0 times the size of an element is 0.
        let mut outer: Vec<(Op, Option<Value>, Ty)> = Vec::new();
        while let Some(i) = self.func.def_inst(sum) {
            let data = &self.func.insts[i];
            let keeps_zero = match data.op {
                Op::Cast(CastOp::SExt | CastOp::ZExt) => true,
                Op::Binary(BinOp::IMul | BinOp::Shl) => self.func.as_bits(data.args[1]).is_some(),
                _ => false,
            };
            if !keeps_zero || self.func.ty(data.args[0]).is_vector() {
                break;
            }
            outer.push((data.op.clone(), data.args.get(1).copied(), self.func.ty(sum)));
            sum = data.args[0];
        }
        let zero = self.func.splat_bits(self.func.ty(sum), 0);
        let [a, b] = if wanted { [sum, zero] } else { [zero, sum] };
        let mut value = self.select(cond, a, b);
        for (op, second, ty) in outer.into_iter().rev() {
            value = self.value(op, std::iter::once(value).chain(second).collect(), ty);
        }
        self.value(Op::PtrAdd, vec![start, value], self.func.ty(start))
    }
}
