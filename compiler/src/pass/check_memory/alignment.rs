//! The alignment of pointers, as far as it follows from what the kernel adds to the start of their objects. This is an
//! analysis of one kernel.
//!
//! The start of an object counts as aligned for each access: the host aligns buffers, and a variable has the alignment
//! of what is in it. Only the start of an argument's memory may be aligned no better than its type asks, because the
//! argument may be an address.

use crate::ir::analysis::Jumps;
use crate::ir::{ArgKind, BinOp, CastOp, EntityRef, Function, KernelInfo, Op, Value};
use crate::pass::analysis::facts::facts;

/// The alignment of all that is aligned for each access, as a power of two.
const FULL: u32 = 20;

/// The most summands of an offset that are looked at, as the depth of a tree.
const MAX_DEPTH: u32 = 6;

/// The alignments of the pointers of a kernel.
pub(super) struct Alignments {
    /// For each value, a power of two. That of values which are no pointers says nothing.
    powers: Vec<u32>,
}

/// A value whose alignment is at most that of others.
struct Bound {
    value: Value,
    from: Value,
    most: u32,
}

impl Alignments {
    /// Computes the alignments: it assumes the best for every value, and lowers what an instruction contradicts until
    /// nothing changes. Thus a pointer that a loop increments by the size of its type counts as aligned.
    pub(super) fn new(func: &Function, kernel: &KernelInfo) -> Alignments {
        let mut powers = vec![FULL; func.values.len()];
        for (&param, arg) in func.params.iter().zip(&kernel.args) {
            if let ArgKind::Buffer { align, .. } = arg.kind {
                powers[param.index()] = align.max(1).trailing_zeros();
            }
        }
        let mut bounds = Vec::new();
        let jumps = Jumps::new(func);
        let is_pointer = |v: Value| func.ty(v).space().is_some();
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            let mut pass = |from: &[Value], to: &[Value]| {
                let pairs = from.iter().zip(to).filter(|(_, to)| is_pointer(**to));
                bounds.extend(pairs.map(|(&from, &value)| Bound {
                    value,
                    from,
                    most: FULL,
                }));
            };
            for &exit in jumps.exits(inst) {
                pass(&func.insts[exit].args, &data.results);
            }
            if data.op == Op::Loop {
                let arguments = &func.regions[data.regions[0]].args;
                pass(&data.args, arguments);
                for &repeat in jumps.repeats(inst) {
                    pass(&func.insts[repeat].args, arguments);
                }
            }
            let Some(&result) = data.results.first().filter(|&&r| is_pointer(r)) else {
                continue;
            };
            match data.op {
                Op::Select => {
                    pass(&data.args[1..2], &[result]);
                    pass(&data.args[2..3], &[result]);
                }
                Op::Cast(CastOp::PtrCast) => pass(&data.args[..1], &[result]),
                Op::PtrAdd => bounds.push(Bound {
                    value: result,
                    from: data.args[0],
                    most: power(func, data.args[1], MAX_DEPTH),
                }),
                Op::Alloca { .. } | Op::GlobalAddr(_) | Op::Loop | Op::Block | Op::If | Op::Switch(_) => {}
                _ => powers[result.index()] = 0,
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for bound in &bounds {
                let most = powers[bound.from.index()].min(bound.most);
                let power = &mut powers[bound.value.index()];
                changed |= most < *power;
                *power = most.min(*power);
            }
        }
        Alignments { powers }
    }

    /// Returns whether a pointer is certainly a multiple of this number of bytes, which is a power of two, beyond the
    /// start of its object.
    pub(super) fn allow(&self, pointer: Value, align: u32) -> bool {
        // New pointers, which this pass has made, are not known.
        let power = self.powers.get(pointer.index()).copied().unwrap_or(0);
        align.max(1).trailing_zeros() <= power
    }
}

/// Returns the power of two that certainly divides a number of bytes.
fn power(func: &Function, bytes: Value, depth: u32) -> u32 {
    if let Some(bits) = func.as_bits(bytes) {
        return bits.trailing_zeros().min(FULL);
    }
    let known = facts(func, bytes).trailing_zeros();
    let Some(data) = func.def_inst(bytes).map(|i| &func.insts[i]) else {
        return known;
    };
    // The facts look at a few operations only.
    let more = match data.op {
        _ if depth == 0 => 0,
        Op::Binary(BinOp::IAdd | BinOp::ISub) => {
            let [x, y] = [0, 1].map(|n| power(func, data.args[n], depth - 1));
            x.min(y)
        }
        Op::Cast(CastOp::SExt | CastOp::ZExt) => power(func, data.args[0], depth - 1),
        _ => 0,
    };
    known.max(more).min(FULL)
}
