//! Replaces loads by what was loaded or stored there before, and removes stores that the next one overwrites.
//!
//! Why: no Vulkan driver knows which buffers are different memory, or that nobody else writes between two barriers.
//! In:  `Inlined`: pointers lead back to kernel arguments. Best behind `simplify_integers` and `cse`, when addresses
//!      differ by constants.
//! Out: a load of bytes that are known (they were loaded or stored on every way there, and nothing between may have
//!      written to them) is the value that is known, another view of its bits, or a lane of it. A store of what is there
//!      already, or to bytes that the same region stores to again before anything may read them, is gone. Volatile
//!      accesses stay, and nothing is known of global and local memory behind a barrier, a fence or an atomic.
//!
//! `cse` knows whole address spaces; here [`Pointers`] tells places apart.

use super::analysis::leaving;
use super::effects::{Effects, Inside, has_effects};
use super::pointers::{Place, Pointers};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{CastOp, EntityRef, Function, Inst, KernelInfo, Module, Op, Region, Value};
use std::cell::OnceCell;

pub const PASS: Pass = Pass {
    name: "forward_memory",
    about: "Replaces loads by what was loaded or stored there before, and removes stores that the next one overwrites.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// Places that are remembered at a time.
const MAX_KNOWN: usize = 96;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        changed |= forward(&mut module.funcs[kernel.func], kernel);
    }
    Ok(changed.into())
}

/// What memory holds.
#[derive(Copy, Clone)]
struct Known {
    place: Place,
    value: Value,
}

struct Frame {
    region: Region,
    next: usize,
    owner: Option<(Inst, usize)>,
    /// What was known at the region's start.
    known: Vec<Known>,
    /// Stores in the region that nothing has read yet.
    unread: Vec<(Inst, Place)>,
}

struct Forward<'a> {
    pointers: &'a Pointers,
    known: Vec<Known>,
    replacements: Replacements,
    dead: Vec<bool>,
    changed: bool,
}

fn forward(func: &mut Function, kernel: &KernelInfo) -> bool {
    let order = func.insts_in_order();
    let memory = order.iter().filter(|&&i| has_effects(&func.insts[i].op)).count();
    if memory < 2 {
        return false;
    }
    let pointers = Pointers::new(func, Some(kernel));
    let inside = Inside::new(func, &pointers, &order);
    // Few stores stand in front of branches in their region.
    let leaves = OnceCell::new();
    let mut pass = Forward {
        pointers: &pointers,
        known: Vec::new(),
        replacements: Replacements::default(),
        dead: vec![false; func.insts.len()],
        changed: false,
    };
    let mut stack = vec![pass.frame(func.body, None)];
    while let Some(frame) = stack.last_mut() {
        if let Some(&inst) = func.regions[frame.region].insts.get(frame.next) {
            frame.next += 1;
            pass.replacements.apply_to(func, inst);
            let Some(&first) = func.insts[inst].regions.first() else {
                if has_effects(&func.insts[inst].op) {
                    pass.visit(func, inst, &mut frame.unread);
                }
                continue;
            };
            if let Some(effects) = inside.get(inst) {
                if !frame.unread.is_empty() {
                    if leaves.get_or_init(|| leaving(func, &order))[inst.index()] {
                        frame.unread.clear();
                    }
                    frame
                        .unread
                        .retain(|(_, place)| !effects.reads.may_meet(&pointers, place));
                }
                if func.insts[inst].op == Op::Loop {
                    pass.forget(effects);
                }
            }
            let frame = pass.frame(first, Some((inst, 0)));
            stack.push(frame);
            continue;
        }
        let Some(Frame {
            owner: Some((inst, number)),
            known,
            ..
        }) = stack.pop()
        else {
            break;
        };
        pass.known = known;
        if let Some(&region) = func.insts[inst].regions.get(number + 1) {
            let frame = pass.frame(region, Some((inst, number + 1)));
            stack.push(frame);
        } else if let Some(effects) = inside.get(inst) {
            pass.forget(effects);
        }
    }
    let Forward {
        mut replacements,
        dead,
        changed,
        ..
    } = pass;
    if !changed {
        return false;
    }
    replacements.apply(func);
    for region in func.regions_in_order() {
        func.regions[region].insts.retain(|i| !dead[i.index()]);
    }
    true
}

impl Forward<'_> {
    fn frame(&self, region: Region, owner: Option<(Inst, usize)>) -> Frame {
        Frame {
            region,
            next: 0,
            owner,
            known: self.known.clone(),
            unread: Vec::new(),
        }
    }

    /// What may have been written is not known any more.
    fn forget(&mut self, effects: &Effects) {
        if !effects.writes.is_empty() {
            let pointers = self.pointers;
            self.known
                .retain(|k| !effects.writes.may_meet(pointers, &k.place));
        }
    }

    fn learn(&mut self, place: Place, value: Value) {
        if self.known.len() == MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { place, value });
    }

    fn visit(&mut self, func: &mut Function, inst: Inst, unread: &mut Vec<(Inst, Place)>) {
        let data = &func.insts[inst];
        match data.op {
            Op::Load(access) if !access.volatile => {
                let result = data.results[0];
                let Some(place) = self.pointers.place(func, data.args[0], func.ty(result).bytes()) else {
                    return;
                };
                if self.load(func, inst, &place) {
                    self.changed = true;
                } else {
                    unread.retain(|(_, p)| !self.pointers.may_meet(p, &place));
                    self.learn(place, result);
                }
            }
            Op::Store(access) if !access.volatile => {
                let value = data.args[1];
                let Some(place) = self.pointers.place(func, data.args[0], func.ty(value).bytes()) else {
                    return;
                };
                if self.known.iter().any(|k| k.value == value && k.place == place) {
                    self.dead[inst.index()] = true;
                    self.changed = true;
                    return;
                }
                self.overwrite(unread, &place);
                unread.push((inst, place));
                self.known.retain(|k| !self.pointers.may_meet(&k.place, &place));
                self.learn(place, value);
            }
            Op::MemZero { size, dst } if !dst.volatile => {
                let Some(place) = self.pointers.place(func, data.args[0], size) else {
                    return;
                };
                self.overwrite(unread, &place);
                unread.push((inst, place));
                self.known.retain(|k| !self.pointers.may_meet(&k.place, &place));
            }
            _ => {
                let effects = Effects::of(func, self.pointers, inst);
                unread.retain(|(_, place)| !effects.reads.may_meet(self.pointers, place));
                self.forget(&effects);
            }
        }
    }

    /// Stores that nothing has read, and nothing will.
    fn overwrite(&mut self, unread: &mut Vec<(Inst, Place)>, place: &Place) {
        unread.retain(|(store, old)| {
            let gone = place.covers(old);
            if gone {
                self.dead[store.index()] = true;
                self.changed = true;
            }
            !gone
        });
    }

    /// Gives a load the value that is known.
    fn load(&mut self, func: &mut Function, inst: Inst, place: &Place) -> bool {
        let result = func.insts[inst].results[0];
        let ty = func.ty(result);
        for known in self.known.iter().rev().filter(|k| k.place.covers(place)) {
            let from = func.ty(known.value);
            let plain = |t: crate::ir::Ty| t.scalar.is_int() || t.scalar.is_float();
            if from == ty {
                self.replacements.set(result, known.value);
                self.dead[inst.index()] = true;
                return true;
            }
            let op = if !plain(from) || !plain(ty) {
                continue;
            } else if place.bytes == known.place.bytes {
                Op::Cast(CastOp::Bitcast)
            } else if from.scalar == ty.scalar && !ty.is_vector() {
                let distance = (place.offset - known.place.offset) as u32;
                if !distance.is_multiple_of(ty.bytes()) {
                    continue;
                }
                Op::Extract((distance / ty.bytes()) as u8)
            } else {
                continue;
            };
            let value = known.value;
            let data = &mut func.insts[inst];
            data.op = op;
            data.args = [value].into();
            return true;
        }
        false
    }
}
