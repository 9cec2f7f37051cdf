//! Gives loops variables of their own for parts of private memory that nothing else in the loop accesses.
//!
//! Why: a structure whose address is stored somewhere stays in memory, and with it a counter that is a member of
//! it (`for (p->i = 0; p->i != 8; p->i += 5)`). While the loop runs, such a member can be an SSA value.
//! In:  `Inlined`; after `mem2reg`, which takes the variables that can be values everywhere.
//! Out: a place in a private variable to which a loop stores is copied to a new variable before the loop and
//!      back after it, and the loop accesses the new variable. `mem2reg`, which must follow, turns it into a
//!      value. The place must be at a constant offset inside of its variable, and be accessed always as a
//!      whole and as one type; nothing else in the loop may touch it. Private memory may be accessed where the
//!      program does not, so no test is needed whether the loop has an iteration.
//!
//! Outer loops come first: what is isolated there needs no isolation in the loops inside.
//! `promote_accumulators` does the same for global memory.

use super::analysis::effects::{Effects, Inside, has_effects};
use super::analysis::pointers::{Place, Pointers};
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::{HashMap, HashSet};
use crate::inv;
use crate::ir::analysis::Survey;
use crate::ir::build::Builder;
use crate::ir::{Access, EntityRef, Function, Inst, KernelInfo, Module, Op, Region, Ty, Value};

pub const PASS: Pass = Pass {
    name: "isolate_loop_memory",
    about: "Gives loops variables of their own for private memory that nothing else in the loop accesses.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The most accesses of memory in a loop that is considered.
const MAX_ACCESSES: usize = 256;

/// The most places that a loop isolates.
const MAX_PLACES: usize = 8;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        changed |= isolate(&mut module.funcs[kernel.func], kernel);
    }
    Ok(changed.into())
}

/// A part of a private variable, and the accesses to it.
struct Cell {
    place: Place,
    ty: Ty,
    align: u32,
    members: Vec<Inst>,
    is_stored: bool,
    /// Whether an access is not only on a way out of the loop. The pass itself puts stores there.
    stays: bool,
}

fn isolate(func: &mut Function, kernel: &KernelInfo) -> bool {
    let survey = Survey::new(func);
    let loops: Vec<Inst> = survey
        .structured
        .iter()
        .copied()
        .filter(|&i| func.insts[i].op == Op::Loop)
        .collect();
    let stores = |&i: &Inst| matches!(func.insts[i].op, Op::Store(_));
    if loops.is_empty() || !survey.order.iter().any(stores) {
        return false;
    }
    let pointers = Pointers::new(func, Some(kernel));
    let inside = Inside::new(func, &pointers, &survey.order);
    let plain = plain_variables(func, &survey.order);
    let mut changed = false;
    // The accesses that belong to a new variable already.
    let mut done = vec![false; func.insts.len()];
    for loop_ in loops {
        if inside.get(loop_).is_none_or(|effects| effects.writes.is_empty()) {
            continue;
        }
        let Some(region) = survey.parents.region(loop_) else {
            continue;
        };
        let insts = func.insts_inside(loop_);
        let set: HashSet<Inst> = insts.iter().copied().collect();
        for cell in cells(func, &survey, &plain, &pointers, (&insts, &set), &done) {
            for &inst in &cell.members {
                done[inst.index()] = true;
            }
            carry(func, region, loop_, (&insts, &set), &cell);
            changed = true;
        }
    }
    changed
}

/// Returns the places that a loop can isolate. `insts` has the loop and all instructions inside, as a list and as
/// a set; `plain` has the variables that are left to `mem2reg`, and `done` excludes accesses.
fn cells(
    func: &Function,
    survey: &Survey,
    plain: &HashSet<Value>,
    pointers: &Pointers,
    (insts, set): (&[Inst], &HashSet<Inst>),
    done: &[bool],
) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut others: Vec<Effects> = Vec::new();
    let mut count = 0;
    for &inst in insts {
        let data = &func.insts[inst];
        // Instructions that the pass has created access the new variables, or copy what is isolated already.
        let is_done = done.get(inst.index()).is_none_or(|&d| d);
        if is_done || !has_effects(&data.op) {
            continue;
        }
        count += 1;
        if count > MAX_ACCESSES {
            return Vec::new();
        }
        let cell = match data.op {
            Op::Load(access) => cell(func, pointers, inst, data.results[0], access),
            Op::Store(access) => cell(func, pointers, inst, data.args[1], access),
            _ => None,
        };
        // A variable that an inlined function has declared in the loop cannot be copied before it.
        let is_outside = |c: &Cell| func.def_inst(c.place.base).is_some_and(|i| !set.contains(&i));
        let leaves = |end: Inst| match func.insts[end].op {
            Op::Exit(target) | Op::Repeat(target) => !set.contains(&target),
            _ => false,
        };
        let end = survey.parents.region(inst).and_then(|r| func.terminator(r));
        let stays = !end.is_some_and(leaves);
        match cell.filter(|c| is_outside(c) && !plain.contains(&c.place.base)) {
            None => others.push(Effects::of(func, pointers, inst)),
            Some(new) => match cells.iter_mut().find(|c| c.place == new.place && c.ty == new.ty) {
                Some(cell) => {
                    cell.members.push(inst);
                    cell.is_stored |= new.is_stored;
                    cell.stays |= stays;
                }
                None => cells.push(Cell { stays, ..new }),
            },
        }
    }
    let is_alone = |n: usize| {
        let place = &cells[n].place;
        let meets = |e: &Effects| e.reads.may_meet(pointers, place) || e.writes.may_meet(pointers, place);
        let mut rest = cells.iter().enumerate().filter(|&(k, _)| k != n);
        !others.iter().any(meets) && rest.all(|(_, other)| !pointers.may_meet(&other.place, place))
    };
    let chosen: Vec<bool> = (0..cells.len())
        .map(|n| cells[n].is_stored && cells[n].stays && is_alone(n))
        .collect();
    let mut chosen = chosen.into_iter();
    cells.retain(|_| chosen.next() == Some(true));
    cells.truncate(MAX_PLACES);
    cells
}

/// Returns the private variables that are only accessed as a whole and with one type. `mem2reg` promotes them,
/// including those that this pass makes.
fn plain_variables(func: &Function, order: &[Inst]) -> HashSet<Value> {
    // The type of the accesses; `None` where there is another use.
    let mut uses: HashMap<Value, Option<Ty>> = HashMap::default();
    for &inst in order {
        let data = &func.insts[inst];
        if let Op::Alloca { .. } = data.op {
            continue;
        }
        for (n, &arg) in data.args.iter().enumerate() {
            let is_variable = func
                .def_inst(arg)
                .is_some_and(|i| matches!(func.insts[i].op, Op::Alloca { .. }));
            if !is_variable {
                continue;
            }
            let ty = match data.op {
                Op::Load(access) if !access.volatile => Some(func.ty(data.results[0])),
                Op::Store(access) if !access.volatile && n == 0 => Some(func.ty(data.args[1])),
                _ => None,
            };
            let all = uses.entry(arg).or_insert(ty);
            if *all != ty {
                *all = None;
            }
        }
    }
    uses.into_iter()
        .filter(|(_, ty)| ty.is_some())
        .map(|(variable, _)| variable)
        .collect()
}

/// Returns the place that an instruction accesses, with this instruction alone, if it is at a constant offset
/// inside of a private variable.
fn cell(func: &Function, pointers: &Pointers, inst: Inst, value: Value, access: Access) -> Option<Cell> {
    let data = &func.insts[inst];
    let ty = func.ty(value);
    let place = pointers.place(func, data.args[0], ty.bytes())?;
    let Op::Alloca { size, .. } = func.insts[func.def_inst(place.base)?].op else {
        return None;
    };
    let end = place.offset.checked_add(ty.bytes().into())?;
    (!access.volatile && place.offset >= 0 && end <= size.into() && ty.bytes() > 0).then(|| Cell {
        place,
        ty,
        align: access.align,
        members: vec![inst],
        is_stored: matches!(data.op, Op::Store(_)),
        stays: false,
    })
}

/// Lets a loop access a new variable instead of a place. `insts` has the loop and all instructions inside, as a
/// list and as a set.
fn carry(
    func: &mut Function,
    region: Region,
    loop_: Inst,
    (insts, set): (&[Inst], &HashSet<Inst>),
    cell: &Cell,
) {
    let Cell {
        place,
        ty,
        align,
        ref members,
        ..
    } = *cell;
    let access = Access {
        align,
        volatile: false,
    };
    let whole = Access {
        align: ty.scalar.bytes(),
        volatile: false,
    };
    let body = func.body;
    let span = func.insts[loop_].span;
    let size = ty.bytes();
    let variable = Builder::before(func, body, 0).alloca(size, ty.scalar.bytes());
    for &inst in members {
        let data = &mut func.insts[inst];
        data.args[0] = variable;
        if let Op::Load(a) | Op::Store(a) = &mut data.op {
            *a = whole;
        }
    }
    let copy = |func: &mut Function, region: Region, index: usize, back: bool| {
        let mut b = Builder::before(func, region, index);
        b.span = span;
        let outer = b.ptr_offset(place.base, place.offset);
        if back {
            let value = b.load(variable, ty, whole);
            b.store(outer, value, access);
        } else {
            let value = b.load(outer, ty, access);
            b.store(variable, value, whole);
        }
    };
    let mut outward = Vec::new();
    for &inst in insts {
        for &inner in &func.insts[inst].regions {
            let Some(end) = func.terminator(inner) else {
                continue;
            };
            if let Op::Exit(target) | Op::Repeat(target) = func.insts[end].op
                && !set.contains(&target)
            {
                outward.push((inner, end));
            }
        }
    }
    for (inner, end) in outward {
        let index = func.index_in(inner, end);
        copy(func, inner, index, true);
    }
    let index = func.index_in(region, loop_);
    copy(func, region, index + 1, true);
    copy(func, region, index, false);
}
