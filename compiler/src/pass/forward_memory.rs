//! Forwards loaded and stored values to later loads of the same memory, and removes stores that are
//! overwritten unread.
//!
//! Why: a Vulkan driver knows neither which buffers are different memory nor that no other work-item may
//! write between two barriers.
//! In:  `Inlined`, so that pointers can be followed back to kernel arguments. Best after `simplify_integers`
//!      and `cse`, when addresses differ by constants.
//! Out: a load of known bytes is replaced by the known value, a bitcast of it, or a lane of it. Bytes are
//!      known if they were loaded or stored on every path to the load and nothing in between may have written
//!      to them. A store is removed if memory holds the value already, or if the same region stores to the
//!      bytes again before anything may read them.
//!
//! The pass leaves volatile accesses alone. After a barrier, a fence or an atomic operation nothing is known
//! of the memory that it concerns. `cse` distinguishes only address spaces; this pass distinguishes places by
//! [`Pointers`].

use super::analysis::effects::{Effects, Inside, has_effects};
use super::analysis::pointers::{Place, Pointers};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::leaving;
use crate::ir::walk::Replacements;
use crate::ir::{CastOp, EntityRef, Function, Inst, KernelInfo, Module, Op, Region, Value};
use std::cell::OnceCell;

pub const PASS: Pass = Pass {
    name: "forward_memory",
    about: "Forwards loaded and stored values to later loads, and removes stores that are overwritten unread.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The most places that are remembered at a time.
const MAX_KNOWN: usize = 96;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        changed |= forward(&mut module.funcs[kernel.func], kernel);
    }
    Ok(changed.into())
}

/// The known contents of a place in memory.
#[derive(Copy, Clone)]
struct Known {
    place: Place,
    value: Value,
}

/// A region that is being visited.
struct Frame {
    region: Region,
    next: usize,
    owner: Option<(Inst, usize)>,
    /// The known contents at the start of the region.
    known: Vec<Known>,
    /// The stores of the region that nothing has read yet.
    unread: Vec<(Inst, Place)>,
}

/// The state of the pass in one function.
struct Forward<'a> {
    pointers: &'a Pointers,
    known: Vec<Known>,
    replacements: Replacements,
    dead: Vec<bool>,
    changed: bool,
}

/// Forwards memory in a kernel, and returns whether anything changed.
fn forward(func: &mut Function, kernel: &KernelInfo) -> bool {
    let order = func.insts_in_order();
    let memory = order.iter().filter(|&&i| has_effects(&func.insts[i].op)).count();
    if memory < 2 {
        return false;
    }
    let pointers = Pointers::new(func, Some(kernel));
    let inside = Inside::new(func, &pointers, &order);
    // Computed at the first use: few regions have a store before a branch.
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
    /// Returns a new frame for a region.
    fn frame(&self, region: Region, owner: Option<(Inst, usize)>) -> Frame {
        Frame {
            region,
            next: 0,
            owner,
            known: self.known.clone(),
            unread: Vec::new(),
        }
    }

    /// Removes the known contents that may have been overwritten.
    fn forget(&mut self, effects: &Effects) {
        if !effects.writes.is_empty() {
            let pointers = self.pointers;
            self.known
                .retain(|k| !effects.writes.may_meet(pointers, &k.place));
        }
    }

    /// Remembers the contents of a place.
    fn learn(&mut self, place: Place, value: Value) {
        if self.known.len() == MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { place, value });
    }

    /// Visits an instruction that accesses memory. `unread`: see [`Frame::unread`].
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

    /// Removes the stores that nothing has read and that a store to `place` overwrites.
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

    /// Replaces a load by the known value, if there is one, and returns whether there is.
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
