//! Computes masked indices into work-group memory in bytes.
//!
//! Why: `ring[(s + 1) & 255]`, `ring[(s + 2) & 255]` … take an addition, a mask and a shift each, because a driver multiplies
//! the index by the size of the element, and does not move the product into the mask. Sums need no shift: the GPU adds
//! constants to addresses for free. (H200, SHOC's readLocalMemory: 4.0 ms instead of 6.3 with work-groups of 32, 2.2 instead of
//! 2.7 with 512.)
//! In:  after `lower_memory`, where such addresses are 32-bit indices of elements.
//! Out: where several indices in a region are masks of sums of one value and constants, the value is shifted once, and the
//!      indices are masks of sums of that, shifted back. Drivers merge this shift with the product.

use std::collections::BTreeMap;

use super::{Changed, Pass, PassCx, PassError};
use crate::hash::HashMap;
use crate::inv;
use crate::ir::{BinOp, Function, Inst, Module, Op, Region, Storage, Ty, Value};

pub const PASS: Pass = Pass {
    name: "scale_indices",
    about: "Computes masked indices into work-group memory in bytes.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        for region in func.regions_in_order() {
            changed |= scale(func, region);
        }
    }
    Ok(changed.into())
}

/// An access whose index is `value + constant & mask`, with elements of `1 << shift` bytes.
struct Masked {
    value: Value,
    shift: u32,
    constant: u32,
    mask: u32,
}

impl Masked {
    /// Returns the parts of the index of an access, if it is of that form.
    fn of(func: &Function, inst: Inst) -> Option<Masked> {
        let data = &func.insts[inst];
        let (Op::LoadFrom(storage, _) | Op::StoreTo(storage, _)) = &data.op else {
            return None;
        };
        let (Storage::Arena(elem) | Storage::Shared(_, elem)) = storage else {
            return None;
        };
        let bytes = elem.bytes();
        let shift = bytes.trailing_zeros();
        let (masked, mask) = with_constant(func, data.args[0], BinOp::And)?;
        if !bytes.is_power_of_two() || shift == 0 || mask.leading_zeros() < shift {
            return None;
        }
        let (value, constant) = with_constant(func, masked, BinOp::IAdd).unwrap_or((masked, 0));
        Some(Masked {
            value,
            shift,
            constant,
            mask,
        })
    }
}

/// Returns the operands of an operation on 32-bit integers whose second operand is a constant.
fn with_constant(func: &Function, value: Value, op: BinOp) -> Option<(Value, u32)> {
    let data = &func.insts[func.def_inst(value)?];
    let is_op = data.op == Op::Binary(op) && func.ty(value) == Ty::I32;
    let constant = |n: usize| func.as_bits(data.args[n]).map(|bits| bits as u32);
    let pair = || match (constant(0), constant(1)) {
        (None, Some(c)) => Some((data.args[0], c)),
        (Some(c), None) => Some((data.args[1], c)),
        _ => None,
    };
    is_op.then(pair).flatten()
}

/// Rewrites the indices in a region, and returns whether there were any to rewrite.
fn scale(func: &mut Function, region: Region) -> bool {
    let mut groups: BTreeMap<(Value, u32), Vec<(Inst, Masked)>> = BTreeMap::new();
    for &inst in &func.regions[region].insts {
        if let Some(masked) = Masked::of(func, inst) {
            groups
                .entry((masked.value, masked.shift))
                .or_default()
                .push((inst, masked));
        }
    }
    let mut ahead: HashMap<Inst, Vec<Inst>> = HashMap::default();
    for ((value, shift), group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
        let mut binary = |func: &mut Function, access: Inst, op: BinOp, a: Value, b: u32| {
            let b = func.splat_bits(Ty::I32, u64::from(b));
            let inst = func.new_inst(Op::Binary(op), [a, b], &[Ty::I32], func.insts[access].span);
            ahead.entry(access).or_default().push(inst);
            func.insts[inst].results[0]
        };
        let scaled = binary(func, group[0].0, BinOp::Shl, value, shift);
        for (access, masked) in group {
            let sum = match masked.constant {
                0 => scaled,
                constant => binary(func, access, BinOp::IAdd, scaled, constant << shift),
            };
            let bytes = binary(func, access, BinOp::And, sum, masked.mask << shift);
            func.insts[access].args[0] = binary(func, access, BinOp::LShr, bytes, shift);
        }
    }
    func.insert_ahead(region, &ahead)
}
