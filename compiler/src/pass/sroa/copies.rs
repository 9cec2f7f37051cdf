//! Turns copies and zeroings of variables into loads and stores.

use super::slots::Slots;
use crate::ir::walk::Walk;
use crate::ir::{Builder, Function, Inst, Op, Ty};
use std::collections::BTreeSet;

/// The number of rounds in which types are propagated along copies of copies.
const MAX_ROUNDS: usize = 8;

/// Expands the copies and zeroings of variables that can be split. Returns whether there were any.
pub(super) fn expand(func: &mut Function, slots: &Slots) -> bool {
    let copies = find(func, slots);
    if copies.is_empty() {
        return false;
    }
    let shapes = spread(func, slots, &copies);
    let wanted = |i: &Inst| copies.binary_search(i).is_ok();
    for region in func.regions_in_order() {
        if !func.regions[region].insts.iter().any(wanted) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            if wanted(&inst) {
                expand_one(&mut b, slots, &shapes, inst);
            } else {
                b.push(inst);
            }
        }
    }
    true
}

/// Returns the copies and zeroings to expand, sorted.
fn find(func: &Function, slots: &Slots) -> Vec<Inst> {
    let mut list = Vec::new();
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if matches!(data.op, Op::MemCpy { .. } | Op::MemZero { .. })
            && data.args.iter().any(|&a| slots.get(a).is_some())
        {
            list.push(inst);
        }
    }
    list.sort_unstable();
    list
}

/// Returns the accesses of each variable, including those to the variables that it is a copy of or that are
/// copies of it.
fn spread(func: &Function, slots: &Slots, copies: &[Inst]) -> Vec<BTreeSet<(u32, Ty)>> {
    let mut shapes: Vec<BTreeSet<(u32, Ty)>> = slots.list.iter().map(|s| s.shapes.clone()).collect();
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for &inst in copies {
            let data = &func.insts[inst];
            let Op::MemCpy { size, .. } = data.op else {
                continue;
            };
            let (Some((a, at_a)), Some((b, at_b))) = (slots.get(data.args[0]), slots.get(data.args[1]))
            else {
                continue;
            };
            for (from, at_from, to, at_to) in [(a, at_a, b, at_b), (b, at_b, a, at_a)] {
                for (at, ty) in window(&shapes[from], at_from, size) {
                    changed |= shapes[to].insert((at + at_to, ty));
                }
            }
        }
        if !changed {
            break;
        }
    }
    shapes
}

/// Returns the accesses inside a range, relative to its start.
fn window(shapes: &BTreeSet<(u32, Ty)>, start: u32, size: u32) -> Vec<(u32, Ty)> {
    shapes
        .iter()
        .filter(|(at, ty)| *at >= start && at + ty.bytes() <= start + size)
        .map(|&(at, ty)| (at - start, ty))
        .collect()
}

/// Covers `size` bytes without overlap: by the widest of the known accesses, and by integers between them.
fn pieces(known: Vec<(u32, Ty)>, size: u32, align: u32) -> Vec<(u32, Ty)> {
    let key = |&(at, ty): &(u32, Ty)| (at, std::cmp::Reverse(ty.bytes()), ty);
    let mut sorted = Vec::new();
    for access in known {
        // The accesses of each variable are in ascending order already, so that this is as quick as a sort, and it is less code.
        let at = sorted.partition_point(|other| key(other) <= key(&access));
        sorted.insert(at, access);
    }
    let mut list = Vec::new();
    let mut end = 0;
    let fill = |list: &mut Vec<(u32, Ty)>, mut at: u32, to: u32| {
        while at < to {
            let fits = |bytes: u32| bytes <= align && at.is_multiple_of(bytes) && at + bytes <= to;
            let ty = [Ty::I32, Ty::I16]
                .into_iter()
                .find(|t| fits(t.bytes()))
                .unwrap_or(Ty::I8);
            list.push((at, ty));
            at += ty.bytes();
        }
    };
    for (at, ty) in sorted {
        if at >= end {
            fill(&mut list, end, at);
            list.push((at, ty));
            end = at + ty.bytes();
        }
    }
    fill(&mut list, end, size);
    list
}

/// Expands one copy or zeroing.
fn expand_one(b: &mut Builder<'_>, slots: &Slots, shapes: &[BTreeSet<(u32, Ty)>], inst: Inst) {
    let data = &b.func.insts[inst];
    b.span = data.span;
    let args = data.args.clone();
    let known = |size: u32| -> Vec<(u32, Ty)> {
        let of = |v| {
            slots
                .get(v)
                .map(|(n, at)| window(&shapes[n], at, size))
                .unwrap_or_default()
        };
        args.iter().flat_map(|&v| of(v)).collect()
    };
    match data.op {
        Op::MemZero { size, dst } => {
            for (at, ty) in pieces(known(size), size, dst.align) {
                let zero = b.zero(ty);
                let to = b.ptr_offset(args[0], i64::from(at));
                b.store(to, zero, dst.at_offset(at));
            }
        }
        Op::MemCpy { size, dst, src } => {
            // Everything is read before anything is written, because the ranges may be the same.
            let list = pieces(known(size), size, dst.align.min(src.align));
            let mut values = Vec::with_capacity(list.len());
            for &(at, ty) in &list {
                let from = b.ptr_offset(args[1], i64::from(at));
                values.push(b.load(from, ty, src.at_offset(at)));
            }
            for (&(at, _), value) in list.iter().zip(values) {
                let to = b.ptr_offset(args[0], i64::from(at));
                b.store(to, value, dst.at_offset(at));
            }
        }
        _ => {}
    }
}
