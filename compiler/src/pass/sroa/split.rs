//! Gives each set of overlapping accesses a variable of its own.

use super::slots::{Slot, Slots};
use super::words::{self, Part, Words};
use crate::ir::walk::Replacements;
use crate::ir::{Access, Builder, CastOp, Function, Inst, Op, Scalar, Ty, Value};
use std::collections::BTreeSet;

/// How the accesses of a cluster fit together.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// All accesses cover the whole cluster.
    Whole(Ty),
    /// All accesses are elements, or vectors of elements, of a grid.
    Lanes(Scalar),
    /// Accesses of different widths: a variable for each part.
    Words(Vec<Part>),
    /// Accesses of pointers and of numbers in different widths: the cluster stays in memory.
    Memory,
}

/// Accesses that overlap, directly or through others.
#[derive(Clone, Debug)]
struct Cluster {
    start: u32,
    end: u32,
    kind: Kind,
    /// The variables that replace the cluster: one, or one for each lane or part.
    vars: Vec<Value>,
}

/// Splits the variables that can be split and are not minimal already. Returns whether there were any.
pub(super) fn split(func: &mut Function, slots: &Slots) -> bool {
    let mut clusters: Vec<Vec<Cluster>> = slots.list.iter().map(plan).collect();
    if clusters.iter().all(Vec::is_empty) {
        return false;
    }
    let mut replacements = Replacements::default();
    let touched = |func: &Function, clusters: &[Vec<Cluster>], inst: Inst| {
        let data = &func.insts[inst];
        let place = match data.op {
            // Only accesses must be within the variable. A pointer may be outside of it, before another offset is added.
            Op::Alloca { .. } | Op::PtrAdd => slots.variable(data.results[0]).map(|n| (n, 0)),
            Op::Load(_) | Op::Store(_) => slots.get(data.args[0]),
            _ => return None,
        };
        place.filter(|&(n, _)| !clusters[n].is_empty())
    };
    // Outer regions come first: the new variables are created where the old ones were, before their uses.
    for region in func.regions_in_order() {
        let any = |i: &Inst| touched(func, &clusters, *i).is_some();
        if !func.regions[region].insts.iter().any(any) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            let Some((n, at)) = touched(b.func, &clusters, inst) else {
                b.push(inst);
                continue;
            };
            b.span = b.func.insts[inst].span;
            let args = b.func.insts[inst].args.clone();
            match b.func.insts[inst].op {
                Op::Load(_) => {
                    let result = b.func.insts[inst].results[0];
                    let ty = b.func.ty(result);
                    let value = load(&mut b, cluster(&clusters[n], at), at, ty);
                    replacements.set(result, value);
                }
                Op::Store(_) => store(&mut b, cluster(&clusters[n], at), at, args[1]),
                Op::PtrAdd => {}
                _ => clusters[n].iter_mut().for_each(|c| create(&mut b, c)),
            }
        }
    }
    replacements.apply(func);
    true
}

/// Returns the clusters of a variable; none if it stays as it is.
fn plan(slot: &Slot) -> Vec<Cluster> {
    if !slot.splits || slot.shapes.is_empty() {
        return Vec::new();
    }
    let mut list: Vec<(u32, u32, Vec<(u32, Ty)>)> = Vec::new();
    for &(at, ty) in &slot.shapes {
        let end = at + ty.bytes();
        match list.last_mut() {
            Some((_, last, members)) if at < *last => {
                *last = end.max(*last);
                members.push((at, ty));
            }
            _ => list.push((at, end, vec![(at, ty)])),
        }
    }
    let clusters: Vec<Cluster> = list
        .into_iter()
        .map(|(start, end, members)| Cluster {
            start,
            end,
            kind: kind(start, end, &members, &slot.stores),
            vars: Vec::new(),
        })
        .collect();
    let stays = match &clusters[..] {
        [one] => match one.kind {
            Kind::Whole(_) => one.start == 0 && slot.shapes.len() == 1,
            Kind::Lanes(_) | Kind::Words(_) => false,
            Kind::Memory => true,
        },
        _ => false,
    };
    if stays { Vec::new() } else { clusters }
}

/// Returns how the accesses of a cluster fit together.
fn kind(start: u32, end: u32, members: &[(u32, Ty)], stores: &BTreeSet<(u32, Ty)>) -> Kind {
    let whole = |&(at, ty): &(u32, Ty)| at == start && at + ty.bytes() == end;
    if members.iter().all(whole) {
        // A pointer cannot be cast to a vector.
        let types = || members.iter().map(|m| m.1);
        let pointer = types().filter(|t| t.scalar.is_ptr()).min();
        if pointer.is_none() || types().all(|t| !t.is_vector()) {
            return Kind::Whole(pointer.unwrap_or(members[0].1));
        }
    }
    let size = members[0].1.scalar.bytes();
    let on_grid = |&(at, ty): &(u32, Ty)| ty.scalar.bytes() == size && (at - start).is_multiple_of(size);
    if members.iter().all(on_grid) {
        let pointer = members.iter().find(|m| m.1.scalar.is_ptr());
        return Kind::Lanes(pointer.unwrap_or(&members[0]).1.scalar);
    }
    words::divide(start, end, members, stores).map_or(Kind::Memory, Kind::Words)
}

/// Returns the cluster of an access at an offset.
fn cluster(clusters: &[Cluster], at: u32) -> &Cluster {
    let n = clusters.partition_point(|c| c.end <= at);
    &clusters[n]
}

/// Returns an access that is aligned to the scalar of its type.
pub(super) fn access(ty: Ty) -> Access {
    Access {
        align: ty.scalar.bytes().max(1),
        volatile: false,
    }
}

/// Creates the variables of a cluster.
fn create(b: &mut Builder<'_>, c: &mut Cluster) {
    c.vars = match &c.kind {
        &Kind::Whole(ty) => vec![b.alloca(ty.bytes(), ty.scalar.bytes())],
        &Kind::Lanes(scalar) => {
            let count = (c.end - c.start) / scalar.bytes();
            (0..count)
                .map(|_| b.alloca(scalar.bytes(), scalar.bytes()))
                .collect()
        }
        Kind::Words(parts) => words::create(b, parts),
        // The alignment is that in the old variable, up to 16 bytes, which suffices for any access.
        Kind::Memory => {
            let align = if c.start == 0 {
                16
            } else {
                1 << c.start.trailing_zeros().min(4)
            };
            vec![b.alloca(c.end - c.start, align)]
        }
    };
}

/// Emits a load from the variables of a cluster.
fn load(b: &mut Builder<'_>, c: &Cluster, at: u32, ty: Ty) -> Value {
    match &c.kind {
        &Kind::Whole(whole) => {
            let value = b.load(c.vars[0], whole, access(whole));
            convert(b, value, ty)
        }
        &Kind::Lanes(scalar) => {
            let first = ((at - c.start) / scalar.bytes()) as usize;
            let mut parts = Vec::with_capacity(ty.lanes as usize);
            for &var in &c.vars[first..first + ty.lanes as usize] {
                let lane = b.load(var, Ty::of(scalar), access(Ty::of(scalar)));
                parts.push(convert(b, lane, Ty::of(ty.scalar)));
            }
            if ty.is_vector() {
                b.construct(ty, parts)
            } else {
                parts[0]
            }
        }
        Kind::Words(parts) => Words { parts, vars: &c.vars }.load(b, at, ty),
        Kind::Memory => {
            let from = b.ptr_offset(c.vars[0], i64::from(at - c.start));
            b.load(from, ty, known_align(c, at, ty))
        }
    }
}

/// Emits a store to the variables of a cluster.
fn store(b: &mut Builder<'_>, c: &Cluster, at: u32, value: Value) {
    let ty = b.func.ty(value);
    match &c.kind {
        &Kind::Whole(whole) => {
            let value = convert(b, value, whole);
            b.store(c.vars[0], value, access(whole));
        }
        &Kind::Lanes(scalar) => {
            let first = ((at - c.start) / scalar.bytes()) as usize;
            for lane in 0..ty.lanes {
                let part = if ty.is_vector() {
                    b.extract(value, lane)
                } else {
                    value
                };
                let part = convert(b, part, Ty::of(scalar));
                b.store(c.vars[first + lane as usize], part, access(Ty::of(scalar)));
            }
        }
        Kind::Words(parts) => Words { parts, vars: &c.vars }.store(b, at, value),
        Kind::Memory => {
            let to = b.ptr_offset(c.vars[0], i64::from(at - c.start));
            b.store(to, value, known_align(c, at, ty));
        }
    }
}

/// Returns an access to the memory of a cluster, with the alignment that [`create`] has given it.
fn known_align(c: &Cluster, at: u32, ty: Ty) -> Access {
    let of_offset = |offset: u32| {
        if offset == 0 {
            16
        } else {
            1 << offset.trailing_zeros().min(4)
        }
    };
    Access {
        align: of_offset(c.start)
            .min(of_offset(at - c.start))
            .min(ty.bytes().next_power_of_two()),
        volatile: false,
    }
}

/// Converts a value to another type of the same size; pointers go through an integer.
pub(super) fn convert(b: &mut Builder<'_>, mut value: Value, to: Ty) -> Value {
    if b.func.ty(value) == to {
        return value;
    }
    if b.func.ty(value).scalar.is_ptr() {
        value = b.cast(CastOp::PtrToInt, value, Ty::I64);
    }
    if to.scalar.is_ptr() {
        let bits = b.cast(CastOp::Bitcast, value, Ty::I64);
        return b.cast(CastOp::IntToPtr, bits, to);
    }
    b.cast(CastOp::Bitcast, value, to)
}
