//! Results of conversions that round, for drivers that join two conversions in a row.

use super::search::{Step, finds};
use crate::ir::{CastOp, Function, Op, Scalar, Storage, Value};

/// Returns whether a number may be the result of a conversion that rounds, as far as a driver can see. It sees through moves and
/// functions such as `trunc`.
pub(super) fn may_be_rounded(func: &Function, value: Value) -> bool {
    finds(func, value, |value, data| {
        let Some(data) = data else {
            return Step::at_parameter(func, value);
        };
        match data.op {
            Op::Cast(CastOp::FConvert | CastOp::SToF | CastOp::UToF) if !is_rounded(func, value) => {
                Step::Nothing
            }
            Op::Binary(_) | Op::CallPure(_) => Step::Nothing,
            Op::LoadFrom(storage, _) if storage != Storage::Variable => Step::Nothing,
            Op::Extract(_) | Op::Shuffle(_) | Op::Construct | Op::Splat => Step::Operands,
            _ => Step::Found,
        }
    })
}

/// Returns whether a number is the result of a conversion that may round.
pub(super) fn is_rounded(func: &Function, value: Value) -> bool {
    let Some(def) = func.def_inst(value).map(|def| &func.insts[def]) else {
        return false;
    };
    // The widest integers all of whose values the type has.
    let exact_bits = match func.ty(value).scalar {
        Scalar::F16 => 8,
        Scalar::F32 => 16,
        _ => 32,
    };
    let from = || func.ty(def.args[0]).scalar.bits();
    match def.op {
        Op::Cast(CastOp::FConvert) => from() > func.ty(value).scalar.bits(),
        Op::Cast(CastOp::SToF | CastOp::UToF) => from() > exact_bits,
        _ => false,
    }
}
