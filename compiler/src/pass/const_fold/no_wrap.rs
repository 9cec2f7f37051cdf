//! Decides whether a folded operation still cannot overflow.

use super::definition;
use crate::ir::{BinOp, Function, Inst, Op, Value, eval};

/// Returns whether the flag `no_wrap` of an instruction also holds for an operation that replaces it.
pub(super) fn remains(func: &Function, inst: Inst, new: &Op, new_args: &[Value]) -> bool {
    let data = &func.insts[inst];
    let (Op::Binary(old), Op::Binary(new)) = (&data.op, new) else {
        return false;
    };
    if !data.no_wrap {
        return false;
    }
    let (&[a, b], &[x, y]) = (&data.args[..], new_args) else {
        return false;
    };
    let scalar = func.ty(a).scalar;
    match (old, new) {
        // x - n becomes x + -n; the negative of the least number does not exist.
        (BinOp::ISub, BinOp::IAdd) => func.as_bits(b).is_some_and(|n| !eval::wraps(*old, scalar, 0, n)),
        _ if old != new => false,
        // The operands have changed places.
        _ if (a, b) == (y, x) => true,
        // (x op c) op n becomes x op (c op n). No exact result of the two operations is out of range, and the exact
        // result of the new operation is that of the last one.
        _ => match (definition(func, a), func.as_bits(b)) {
            (Some((op, &[inner, c])), Some(n)) if *op == Op::Binary(*old) && inner == x => {
                let inner_is_exact = func.def_inst(a).is_some_and(|i| func.insts[i].no_wrap);
                let constant_is_exact = func.as_bits(c).is_some_and(|c| !eval::wraps(*old, scalar, c, n));
                inner_is_exact && constant_is_exact
            }
            _ => false,
        },
    }
}
