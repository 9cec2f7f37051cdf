//! The operations that the work-items of a sub-group perform together. The work-items that execute the same instance of
//! such an operation wait for each other.

use super::machine::{Machine, Stop};
use super::{Trap, Undefined, matrix};
use crate::intrinsic::{Intrinsic, SubgroupOp, SubgroupPart};
use crate::ir::{Inst, Op, Scalar, Ty, eval};

/// A sub-group operation at which a work-item waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    pub(super) inst: Inst,
    pub(super) op: Intrinsic,
    pub(super) args: Vec<Vec<u64>>,
    /// The type of the first argument's lanes.
    pub(super) scalar: Scalar,
    /// The types of the arguments.
    pub(super) types: Vec<Ty>,
    /// The type of the result.
    pub(super) result: Option<Ty>,
}

/// Executes an operation at which work-items of one sub-group wait. Those take part that execute the same instance of the
/// instruction (`docs/ir.md`, convergence). Of several points the first in the order of the program is executed: no other
/// work-item can still reach it. Returns whether any work-item continues.
pub(super) fn resolve(
    items: &mut [Machine<'_>],
    stops: &mut [Stop],
    undefined: Undefined,
) -> Result<bool, Trap> {
    let waiting = |n: usize| (stops[n] == Stop::Subgroup).then(|| items[n].point());
    let points: Vec<Option<Vec<[usize; 3]>>> = (0..items.len()).map(waiting).collect();
    let Some(first) = points.iter().flatten().min() else {
        return Ok(false);
    };
    let here: Vec<bool> = points.iter().map(|p| p.as_ref() == Some(first)).collect();
    let lead = here
        .iter()
        .position(|&h| h)
        .and_then(|n| items[n].pending().cloned());
    let Some(lead) = lead else {
        return Ok(false);
    };
    let args = |(item, &here): (&Machine<'_>, &bool)| match item.pending() {
        Some(p) if here => Some(p.args.clone()),
        _ => None,
    };
    let args: Vec<Option<Vec<Vec<u64>>>> = items.iter().zip(&here).map(args).collect();
    for n in 0..items.len() {
        if args[n].is_some() {
            let result = result(&lead, &args, n, undefined)?;
            items[n].resume(result);
            stops[n] = Stop::Running;
        }
    }
    Ok(true)
}

/// Returns the result for the work-item with this number.
fn result(
    lead: &Pending,
    args: &[Option<Vec<Vec<u64>>>],
    n: usize,
    undefined: Undefined,
) -> Result<Vec<u64>, Trap> {
    let mine = args[n].as_deref().unwrap_or_default();
    let firsts = || args.iter().flatten().map(|a| a[0][0]);
    let from = |number: u64| match args.get(number as usize) {
        Some(Some(a)) => Ok(a[0].clone()),
        _ if undefined == Undefined::Anything => Ok(mine[0].clone()),
        _ => Err(Trap::Undefined("a work-item that is not there".into())),
    };
    Ok(match lead.op {
        Intrinsic::SubgroupAll => vec![u64::from(firsts().all(|v| v != 0))],
        Intrinsic::SubgroupAny => vec![u64::from(firsts().any(|v| v != 0))],
        Intrinsic::SubgroupBallot => {
            let mut words = vec![0; 4];
            for (item, a) in args.iter().enumerate() {
                if a.as_ref().is_some_and(|a| a[0][0] != 0) {
                    words[item / 32] |= 1 << (item % 32);
                }
            }
            words
        }
        Intrinsic::SubgroupBroadcast | Intrinsic::SubgroupShuffle => from(mine[1][0])?,
        Intrinsic::SubgroupShuffleXor => from(n as u64 ^ mine[1][0])?,
        Intrinsic::SubgroupArith(op, part) => {
            let last = match part {
                SubgroupPart::Reduce => args.len(),
                SubgroupPart::Inclusive => n + 1,
                SubgroupPart::Exclusive => n,
            };
            let values = args[..last].iter().flatten().map(|a| a[0][0]);
            let joined = values.reduce(|a, b| join(op, lead.scalar, a, b));
            vec![joined.unwrap_or_else(|| eval::identity(op, lead.scalar))]
        }
        Intrinsic::Matrix(op) => {
            let result = lead.result.and_then(|ty| ty.scalar.matrix());
            let result = result.ok_or_else(|| Trap::NotSupported("an operation without a matrix".into()))?;
            let operands = lead.types.iter().enumerate();
            let operands: Result<Vec<Vec<u64>>, Trap> = operands
                .map(|(operand, &ty)| matrix::joined(operand, ty, args, undefined))
                .collect();
            matrix::together(op, &operands?, &lead.types, result)?
        }
        _ => Vec::new(),
    })
}

fn join(op: SubgroupOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    let result = match eval::joining(op) {
        Op::Binary(op) => eval::binary(op, scalar, a, b),
        Op::Intrinsic(op) => eval::intrinsic(op, scalar, &[a, b]),
        _ => None,
    };
    result.unwrap_or(a)
}
