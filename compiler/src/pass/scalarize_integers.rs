//! Computes vectors of integers lane by lane.
//!
//! Why: NVIDIA's driver sometimes computes a lane of a vector of integers from the values of another lane:
//! `x / y + 16` of `ulong2` had the second lane's result in both. The pass is for targets with
//! [`Quirks::mixed_lanes`](crate::target::Quirks::mixed_lanes).
//! In:  `NoLongVectors`.
//! Out: integer arithmetic, comparisons, selections and conversions have scalar operands and results. Vectors are
//!      only loaded, stored, taken apart, put together, and reinterpreted.
//!
//! How: each such operation becomes one operation for each lane, and a construction of the vector from the
//! results, so that the uses of the vector do not change.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Const, Function, InstData, Module, Op, Ty, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "scalarize_integers",
    about: "Computes vectors of integers lane by lane, for drivers that mix up their lanes.",
    run,
    requires: inv![NoLongVectors],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= scalarize(func);
    }
    Ok(changed.into())
}

/// Rewrites the operations of one function. Returns whether there are any.
fn scalarize(func: &mut Function) -> bool {
    let mut changed = false;
    let mut replaced = Replacements::default();
    for region in func.regions_in_order() {
        let insts = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in insts {
            replaced.apply_to(b.func, inst);
            let data = b.func.insts[inst].clone();
            if let Some(result) = dynamic(&mut b, &data) {
                replaced.set(data.results[0], result);
                changed = true;
                continue;
            }
            if is_for(b.func, &data) {
                let lanes = lane_by_lane(&mut b, &data);
                b.func.insts[inst].replace(Op::Construct, lanes.into());
                changed = true;
            }
            b.push(inst);
        }
    }
    replaced.apply(func);
    changed
}

/// Replaces an access to a lane whose number is known only at run time by selections. Returns the new result.
fn dynamic(b: &mut Builder<'_>, data: &InstData) -> Option<Value> {
    (b.span, b.fp) = (data.span, data.fp);
    let vector = data.args.first().copied()?;
    let ty = b.func.ty(vector);
    match data.op {
        Op::ExtractDynamic => {
            let mut values: Vec<Value> = (0..ty.lanes).map(|lane| lane_of(b, vector, lane)).collect();
            // Each bit of the number halves the lanes that it may be. With an odd number of lanes, the last one needs
            // no selection.
            let mut bit = 1;
            while values.len() > 1 {
                let is_odd = has_bit(b, data.args[1], bit);
                values = values
                    .chunks(2)
                    .map(|pair| match *pair {
                        [even, odd] => b.select(is_odd, odd, even),
                        _ => pair[0],
                    })
                    .collect();
                bit *= 2;
            }
            values.first().copied()
        }
        Op::InsertDynamic => {
            let [_, scalar, number] = data.args[..] else {
                return None;
            };
            let lanes = (0..ty.lanes)
                .map(|lane| {
                    let old = lane_of(b, vector, lane);
                    let this = b.bits(b.func.ty(number), u64::from(lane));
                    let is_this = b.compare(CmpOp::IEq, number, this);
                    b.select(is_this, scalar, old)
                })
                .collect();
            Some(b.construct(ty, lanes))
        }
        _ => None,
    }
}

/// Returns whether a number has a certain bit.
fn has_bit(b: &mut Builder<'_>, number: Value, bit: u64) -> Value {
    let ty = b.func.ty(number);
    let mask = b.bits(ty, bit);
    let masked = b.binary(BinOp::And, number, mask);
    let zero = b.zero(ty);
    b.compare(CmpOp::INe, masked, zero)
}

/// Returns whether an instruction computes each lane of its result, or of its operands, from the same lanes of
/// vectors of integers.
fn is_for(func: &Function, data: &InstData) -> bool {
    let works_by_lanes = match data.op {
        Op::Cast(op) => op != CastOp::Bitcast,
        Op::Binary(_) | Op::Unary(_) | Op::Compare(_) | Op::Select => true,
        Op::Intrinsic(op) => matches!(
            op,
            Intrinsic::SAbs
                | Intrinsic::SMin
                | Intrinsic::SMax
                | Intrinsic::UMin
                | Intrinsic::UMax
                | Intrinsic::UMulHigh
                | Intrinsic::SMulHigh
                | Intrinsic::PopCount
                | Intrinsic::Clz
                | Intrinsic::Ctz
                | Intrinsic::BitReverse
        ),
        _ => false,
    };
    let is_integers = |&v: &Value| func.ty(v).is_vector() && func.ty(v).scalar.is_int();
    works_by_lanes
        && data.results.iter().all(|&r| func.ty(r).is_vector())
        && data.results.iter().chain(&data.args).any(is_integers)
}

/// Computes the lanes of an instruction's result.
fn lane_by_lane(b: &mut Builder<'_>, data: &InstData) -> Vec<Value> {
    (b.span, b.fp) = (data.span, data.fp);
    let ty = b.func.ty(data.results[0]);
    (0..ty.lanes)
        .map(|lane| {
            let args: Vec<Value> = data.args.iter().map(|&v| lane_of(b, v, lane)).collect();
            b.value(data.op.clone(), args, Ty::of(ty.scalar))
        })
        .collect()
}

/// Returns a lane of a vector, or the scalar itself.
fn lane_of(b: &mut Builder<'_>, v: Value, lane: u8) -> Value {
    let ty = b.func.ty(v);
    if !ty.is_vector() {
        return v;
    }
    if let ValueDef::Const(Const::Bits(lanes)) = &b.func.values[v].def {
        let bits = lanes[usize::from(lane)];
        return b.bits(Ty::of(ty.scalar), bits);
    }
    let def = b.func.def_inst(v).map(|def| &b.func.insts[def]);
    match def {
        Some(data) if data.op == Op::Splat => data.args[0],
        Some(data) if data.op == Op::Construct && data.args.len() == usize::from(ty.lanes) => {
            data.args[usize::from(lane)]
        }
        _ => b.extract(v, lane),
    }
}
