//! Rounds doubles to integers by additions and by floor and ceil.
//!
//! Why: llvmpipe implements RoundEven and Trunc of doubles correctly only where the processor can round a
//! whole vector of them (AVX-512). Elsewhere it uses a method for floats: numbers beyond 2^24 stay as they
//! are, 1.5 becomes 1, and −0.3 becomes 0 instead of −0. Its Floor and Ceil are correct. The pass is for
//! targets with [`Quirks::double_rounding`](crate::target::Quirks::double_rounding).
//! In:  any module.
//! Out: no RoundEven and no Trunc of doubles is left:
//!
//! - Trunc is Ceil of negative numbers and Floor of all others.
//! - RoundEven adds 2^52 to the magnitude, where doubles have no fraction, and subtracts it again. Numbers of
//!   at least that magnitude, infinities and NaN stay as they are. The sign is that of the operand.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Module, Op, Region, Scalar, Value};

pub const PASS: Pass = Pass {
    name: "round_doubles",
    about: "Rounds doubles by additions and by floor and ceil, for drivers whose own rounding is wrong.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The bits of 2^52 as a double.
const TWO_TO_52: u64 = 0x4330_0000_0000_0000;
/// The sign bit of a double.
const SIGN: u64 = 1 << 63;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        for region in func.regions_in_order() {
            let mut at = 0;
            while let Some(&inst) = func.regions[region].insts.get(at) {
                match rounding(func, inst) {
                    Some(how) => {
                        let before = func.regions[region].insts.len();
                        expand(func, region, at, inst, how);
                        at += func.regions[region].insts.len() + 1 - before;
                        changed = true;
                    }
                    None => at += 1,
                }
            }
        }
    }
    Ok(changed.into())
}

/// Returns the rounding that an instruction does, if it rounds doubles.
fn rounding(func: &Function, inst: Inst) -> Option<Intrinsic> {
    let data = &func.insts[inst];
    let Op::Intrinsic(how @ (Intrinsic::RoundEven | Intrinsic::Trunc)) = data.op else {
        return None;
    };
    (func.ty(data.args[0]).scalar == Scalar::F64).then_some(how)
}

/// Turns the instruction into a selection between values that are computed before it.
fn expand(func: &mut Function, region: Region, at: usize, inst: Inst, how: Intrinsic) {
    let x = func.insts[inst].args[0];
    let mut b = Builder::before(func, region, at);
    let (op, args) = match how {
        Intrinsic::Trunc => toward_zero(&mut b, x),
        _ => to_even(&mut b, x),
    };
    let data = &mut func.insts[inst];
    (data.op, data.args) = (op, args.into());
}

/// Emits the rounding towards zero, and returns the selection that completes it.
fn toward_zero(b: &mut Builder<'_>, x: Value) -> (Op, Vec<Value>) {
    let ty = b.func.ty(x);
    let mut half = |op| b.intrinsic(op, vec![x], Some(ty)).expect("has a result");
    let (floor, ceil) = (half(Intrinsic::Floor), half(Intrinsic::Ceil));
    let zero = b.zero(ty);
    let negative = b.compare(CmpOp::FOLt, x, zero);
    (Op::Select, vec![negative, ceil, floor])
}

/// Emits the rounding to the nearest even integer, and returns the selection that completes it.
fn to_even(b: &mut Builder<'_>, x: Value) -> (Op, Vec<Value>) {
    let ty = b.func.ty(x);
    let integer = ty.with_scalar(Scalar::I64);
    let bits = b.cast(CastOp::Bitcast, x, integer);
    let masks = [SIGN, !SIGN].map(|mask| b.bits(integer, mask));
    let [sign, magnitude] = masks.map(|mask| b.binary(BinOp::And, bits, mask));
    let magnitude = b.cast(CastOp::Bitcast, magnitude, ty);
    let large = b.bits(ty, TWO_TO_52);
    let sum = b.binary(BinOp::FAdd, magnitude, large);
    let rounded = b.binary(BinOp::FSub, sum, large);
    let rounded = b.cast(CastOp::Bitcast, rounded, integer);
    let signed = b.binary(BinOp::Or, rounded, sign);
    let signed = b.cast(CastOp::Bitcast, signed, ty);
    let has_fraction = b.compare(CmpOp::FOLt, magnitude, large);
    (Op::Select, vec![has_fraction, signed, x])
}
