//! Instructions that move lanes.

use super::{Folded, definition};
use crate::ir::{Function, Op, Ty, Value};

/// The most instructions through which the source of an extracted lane is followed.
const MAX_STEPS: usize = 32;

/// Folds an extracted lane to its source, through constructs, inserts, shuffles and splats.
pub(super) fn extract(func: &mut Function, mut vector: Value, mut lane: u8) -> Folded {
    let start = vector;
    for _ in 0..MAX_STEPS {
        let Some((op, args)) = definition(func, vector) else {
            break;
        };
        match op {
            Op::Splat => return Folded::Value(args[0]),
            Op::Construct => {
                let mut first = 0;
                let part = args.iter().find(|&&a| {
                    first += func.ty(a).lanes;
                    lane < first
                });
                let Some(&part) = part else {
                    break;
                };
                if !func.ty(part).is_vector() {
                    return Folded::Value(part);
                }
                lane -= first - func.ty(part).lanes;
                vector = part;
            }
            Op::Insert(at) if *at == lane => return Folded::Value(args[1]),
            Op::Insert(_) => vector = args[0],
            Op::Shuffle(mask) => {
                let from = mask[lane as usize];
                let lanes = func.ty(args[0]).lanes;
                if from == 0xff {
                    let ty = Ty::of(func.ty(vector).scalar);
                    return Folded::Value(func.constant(ty, crate::ir::Const::Undef));
                }
                (vector, lane) = if from < lanes {
                    (args[0], from)
                } else {
                    (args[1], from - lanes)
                };
            }
            _ => break,
        }
    }
    if vector == start {
        Folded::Same
    } else {
        Folded::Op(Op::Extract(lane), vec![vector])
    }
}

/// Folds a dynamic extraction whose lane is constant and in range.
pub(super) fn extract_dynamic(func: &mut Function, vector: Value, lane: Value) -> Folded {
    match func.as_bits(lane) {
        Some(n) if n < u64::from(func.ty(vector).lanes) => Folded::Op(Op::Extract(n as u8), vec![vector]),
        _ => Folded::Same,
    }
}

/// Folds a dynamic insertion whose lane is constant and in range.
pub(super) fn insert_dynamic(func: &mut Function, args: &[Value]) -> Folded {
    match func.as_bits(args[2]) {
        Some(n) if n < u64::from(func.ty(args[0]).lanes) => {
            Folded::Op(Op::Insert(n as u8), vec![args[0], args[1]])
        }
        _ => Folded::Same,
    }
}

/// Folds the construction of a vector from all of its own lanes in order, or from one scalar in all lanes.
pub(super) fn construct(func: &mut Function, parts: &[Value], ty: Ty) -> Folded {
    if parts.len() == ty.lanes as usize && parts.iter().all(|&p| p == parts[0]) {
        return Folded::Op(Op::Splat, vec![parts[0]]);
    }
    let mut whole = None;
    for (n, &part) in parts.iter().enumerate() {
        let (Some((Op::Extract(lane), &[v])), 1) = (definition(func, part), func.ty(part).lanes) else {
            return Folded::Same;
        };
        if usize::from(*lane) != n || *whole.get_or_insert(v) != v {
            return Folded::Same;
        }
    }
    match whole {
        Some(v) if func.ty(v) == ty => Folded::Value(v),
        _ => Folded::Same,
    }
}

/// Folds a shuffle that returns one operand as it is, and makes both operands equal if only one is used.
pub(super) fn shuffle(func: &mut Function, args: &[Value], mask: &[u8], ty: Ty) -> Folded {
    let lanes = func.ty(args[0]).lanes;
    for (n, &arg) in args.iter().enumerate() {
        let first = n as u8 * lanes;
        let in_order = |(i, &l): (usize, &u8)| l == 0xff || l == first + i as u8;
        if func.ty(arg) == ty && mask.iter().enumerate().all(in_order) {
            return Folded::Value(arg);
        }
    }
    // A shuffle that uses one operand names it twice, so that `cse` recognises equal shuffles.
    let uses_second = mask.iter().any(|&l| l != 0xff && l >= lanes);
    if !uses_second && args[0] != args[1] {
        return Folded::Op(Op::Shuffle(mask.to_vec()), vec![args[0], args[0]]);
    }
    let uses_first = mask.iter().any(|&l| l < lanes);
    if !uses_first && uses_second && args[0] != args[1] {
        let mask = mask
            .iter()
            .map(|&l| if l == 0xff { l } else { l - lanes })
            .collect();
        return Folded::Op(Op::Shuffle(mask), vec![args[1], args[1]]);
    }
    Folded::Same
}
