//! Conversions of floats to integers whose upper bits are cut off, such as `(ushort)(ulong)f`.
//!
//! NVIDIA's driver (version 580, H200) does such a conversion as one to the narrower integer. That saturates: 98304.0f became 65535
//! instead of 32768. It also did so where `convert_ulong_sat` chooses between the conversion and other numbers, and where emission looks
//! at the words of a 64-bit integer one by one, as it does to count bits.

use super::chosen_zeros::exits;
use crate::hash::HashSet;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, Function, Inst, Op, Scalar, Value};

/// Returns the conversions from a float whose result, as far as a driver can see, loses its upper bits.
pub(super) fn cut_conversions(func: &Function) -> HashSet<Inst> {
    let mut list: Vec<Value> = Vec::new();
    let is_long = |value: Value| func.ty(value).scalar == Scalar::I64;
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        match data.op {
            Op::Cast(CastOp::Trunc) => list.push(data.args[0]),
            Op::Binary(BinOp::And) => list.extend(data.args.iter()),
            // Shifts to the left and back cut off bits, too.
            Op::Binary(BinOp::Shl) => list.push(data.args[0]),
            Op::Intrinsic(Intrinsic::PopCount | Intrinsic::Clz) if is_long(data.args[0]) => {
                list.push(data.args[0])
            }
            Op::Cast(CastOp::Bitcast) if is_long(data.args[0]) && !is_long(data.results[0]) => {
                list.push(data.args[0]);
            }
            _ => {}
        }
    }
    let mut seen: HashSet<Value> = list.iter().copied().collect();
    let mut found = HashSet::default();
    while let Some(value) = list.pop() {
        let Some(def) = func.def_inst(value) else { continue };
        let data = &func.insts[def];
        let sources: Vec<Value> = match &data.op {
            Op::Cast(CastOp::FToS | CastOp::FToU) => {
                found.insert(def);
                continue;
            }
            Op::Select
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Construct
            | Op::Splat
            | Op::Cast(CastOp::ZExt | CastOp::SExt | CastOp::Bitcast)
            | Op::Intrinsic(Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax) => {
                data.args.to_vec()
            }
            op if op.is_structured() => {
                let n = data.results.iter().position(|&r| r == value);
                let all = exits(func, def);
                n.into_iter()
                    .flat_map(|n| {
                        all.iter()
                            .filter_map(move |&exit| func.insts[exit].args.get(n).copied())
                    })
                    .collect()
            }
            _ => continue,
        };
        list.extend(sources.into_iter().filter(|&v| seen.insert(v)));
    }
    found
}
