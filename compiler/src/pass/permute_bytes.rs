//! Turns words that are assembled from bytes of other words into shifts and masks of these words.
//!
//! Why: `as_uint(as_uchar4(x).wzyx)` reverses the bytes of a word. Drivers know this in the form of shifts and masks, but
//! some take vectors of bytes apart and put them together byte by byte (NVIDIA, on an H200: 4.3 times the time).
//! In:  `NoLongVectors`; after `widen_accesses`, which loads and stores vectors of bytes as words.
//! Out: a `Bitcast` of a vector of 8-bit or 16-bit lanes to a number of 32 or 64 bits, in which a lane is taken from a
//!      number of 32 or 64 bits, consists of shifts, masks and ors of words. Lanes may also be constants and other
//!      8-bit or 16-bit numbers.

use super::analysis::lanes::{Part, WORD, part};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{BinOp, Builder, CastOp, Function, InstData, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "permute_bytes",
    about: "Turns words that are assembled from bytes of other words into shifts and masks of these words.",
    run,
    requires: inv![NoLongVectors],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= permute(func);
    }
    Ok(changed.into())
}

/// Rewrites the permutations in a function, and returns whether there are any.
fn permute(func: &mut Function) -> bool {
    let mut changed = false;
    for region in func.regions_in_order() {
        let insts = &func.regions[region].insts;
        if !insts.iter().any(|&i| parts(func, &func.insts[i]).is_some()) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in insts {
            let data = b.func.insts[inst].clone();
            if let Some(parts) = parts(b.func, &data) {
                (b.span, b.fp) = (data.span, data.fp);
                let words: Vec<Value> = parts
                    .chunks(parts.len() / words_of(b.func, &data))
                    .map(|p| word(&mut b, p))
                    .collect();
                let joined = match words[..] {
                    [one] => one,
                    _ => b.construct(Ty::vector(Scalar::I32, words.len() as u8), words),
                };
                // The instruction becomes the last of them, so its uses need not change.
                let data = &mut b.func.insts[inst];
                data.args = [joined].into();
            }
            b.push(inst);
        }
    }
    changed
}

/// Returns the number of words in the result of an instruction.
fn words_of(func: &Function, data: &InstData) -> usize {
    (func.ty(data.results[0]).scalar.bytes() * 8 / WORD) as usize
}

/// Returns the origins of the lanes of the vector that an instruction turns into a number, if this is an
/// instruction to rewrite.
fn parts(func: &Function, data: &InstData) -> Option<Vec<Part>> {
    if data.op != Op::Cast(CastOp::Bitcast) {
        return None;
    }
    let (from, to) = (func.ty(data.args[0]), func.ty(data.results[0]));
    let narrow = matches!(from.scalar, Scalar::I8 | Scalar::I16 | Scalar::F16) && from.is_vector();
    if !narrow || to.is_vector() || !matches!(to.scalar.bytes(), 4 | 8) {
        return None;
    }
    let parts: Vec<Part> = (0..from.lanes)
        .map(|lane| part(func, data.args[0], lane))
        .collect();
    let is_bits = |p: &Part| matches!(p, Part::Bits(..));
    parts.iter().any(is_bits).then_some(parts)
}

/// Puts a word together from its parts, the lowest first.
fn word(b: &mut Builder<'_>, parts: &[Part]) -> Value {
    let bits = WORD / parts.len() as u32;
    let ones = u64::from(u32::MAX >> (WORD - bits));
    let mut constant = 0;
    // Words with the same distance between the places of their bits have one shift.
    let mut shifts: Vec<(Value, u32, i32, u64)> = Vec::new();
    let mut numbers = Vec::new();
    for (n, &part) in parts.iter().enumerate() {
        let at = n as u32 * bits;
        match part {
            Part::Constant(value) => constant |= (value & ones) << at,
            Part::Number(v, lane) => numbers.push((v, lane, at)),
            Part::Bits(v, from) => {
                let (half, distance) = (from / WORD, at as i32 - (from % WORD) as i32);
                let same = |s: &&mut (Value, u32, i32, u64)| (s.0, s.1, s.2) == (v, half, distance);
                match shifts.iter_mut().find(same) {
                    Some(s) => s.3 |= ones << at,
                    None => shifts.push((v, half, distance, ones << at)),
                }
            }
        }
    }
    let mut terms = Vec::new();
    for (v, half, distance, mask) in shifts {
        let v = match b.func.ty(v).scalar.bytes() {
            8 => {
                let halves = b.cast(CastOp::Bitcast, v, Ty::vector(Scalar::I32, 2));
                b.extract(halves, half as u8)
            }
            _ => b.cast(CastOp::Bitcast, v, Ty::I32),
        };
        let count = b.i32(distance.abs());
        let (v, left) = match distance {
            0 => (v, u32::MAX),
            1.. => (b.binary(BinOp::Shl, v, count), u32::MAX << distance),
            _ => (b.binary(BinOp::LShr, v, count), u32::MAX >> -distance),
        };
        terms.push(match mask == u64::from(left) {
            true => v,
            false => {
                let mask = b.bits(Ty::I32, mask);
                b.binary(BinOp::And, v, mask)
            }
        });
    }
    for (v, lane, at) in numbers {
        let v = match lane {
            Some(lane) => b.extract(v, lane),
            None => v,
        };
        let int = b.cast(CastOp::Bitcast, v, Ty::of(Scalar::int(bits)));
        let wide = b.cast(CastOp::ZExt, int, Ty::I32);
        terms.push(match at {
            0 => wide,
            _ => {
                let at = b.i32(at as i32);
                b.binary(BinOp::Shl, wide, at)
            }
        });
    }
    if constant != 0 {
        terms.push(b.bits(Ty::I32, constant));
    }
    let Some((&first, rest)) = terms.split_first() else {
        return b.i32(0);
    };
    rest.iter()
        .fold(first, |sum, &term| b.binary(BinOp::Or, sum, term))
}
