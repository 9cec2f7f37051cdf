//! The origin of the lanes of vectors: a part of a number, a constant, or a lane of another vector.

use crate::ir::{BinOp, CastOp, Const, Function, Op, Value};

/// The bits of a word.
pub const WORD: u32 = 32;
/// The longest chain of operations on vectors that is followed.
const MAX_CHAIN: u32 = 16;

/// The origin of a lane of a vector of narrow numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Bits of a number of 32 or 64 bits, from this bit on.
    Bits(Value, u32),
    Constant(u64),
    /// A number of the lane's type, or a lane of a vector.
    Number(Value, Option<u8>),
}

/// What an operation does with a lane of its result.
enum Step {
    /// It takes the lane from one of its operands.
    Moved(Value, u8),
    Undefined,
    Computed,
}

/// Returns what the definition of a value does with a lane. A scalar has one lane.
fn step(func: &Function, v: Value, lane: u8) -> Step {
    let Some(inst) = func.def_inst(v) else {
        return Step::Computed;
    };
    let data = &func.insts[inst];
    let args = &data.args;
    match &data.op {
        Op::Shuffle(list) => {
            let first = func.ty(args[0]).lanes;
            match list[usize::from(lane)] {
                0xff => Step::Undefined,
                n if n < first => Step::Moved(args[0], n),
                n => Step::Moved(args[1], n - first),
            }
        }
        Op::Construct => {
            let mut rest = lane;
            for &a in args.iter() {
                let lanes = func.ty(a).lanes;
                if rest < lanes {
                    return Step::Moved(a, rest);
                }
                rest -= lanes;
            }
            Step::Computed
        }
        Op::Insert(n) => match *n == lane && func.ty(v).is_vector() {
            true => Step::Moved(args[1], 0),
            false => Step::Moved(args[0], lane),
        },
        Op::Splat => Step::Moved(args[0], 0),
        Op::Extract(n) => Step::Moved(args[0], *n),
        _ => Step::Computed,
    }
}

/// Follows a lane of a vector, or a scalar, through the operations that only move lanes.
pub fn origin(func: &Function, v: Value, lane: u8) -> (Value, u8) {
    let mut at = (v, lane);
    for _ in 0..MAX_CHAIN {
        match step(func, at.0, at.1) {
            Step::Moved(v, lane) => at = (v, lane),
            Step::Undefined | Step::Computed => break,
        }
    }
    at
}

/// Returns the origin of a lane of a vector of narrow numbers, or of a narrow number.
pub fn part(func: &Function, vector: Value, lane: u8) -> Part {
    let (mut v, mut lane) = (vector, lane);
    for _ in 0..MAX_CHAIN {
        let ty = func.ty(v);
        match func.as_const(v) {
            Some(Const::Bits(lanes)) => return Part::Constant(lanes[usize::from(lane)]),
            Some(Const::Undef) => return Part::Constant(0),
            None => {}
        }
        match step(func, v, lane) {
            Step::Moved(from, n) => (v, lane) = (from, n),
            Step::Undefined => return Part::Constant(0),
            Step::Computed => {
                let Some(inst) = func.def_inst(v) else {
                    break;
                };
                let data = &func.insts[inst];
                let bytes = func.ty(*data.args.first().unwrap_or(&v)).scalar.bytes();
                let from_number =
                    matches!(bytes, 4 | 8) && data.args.iter().all(|&a| !func.ty(a).is_vector());
                match data.op {
                    Op::Cast(CastOp::Bitcast) if ty.is_vector() && from_number => {
                        return Part::Bits(data.args[0], u32::from(lane) * ty.scalar.bytes() * 8);
                    }
                    Op::Cast(CastOp::Trunc) if !ty.is_vector() && from_number => {
                        return bits_of(func, data.args[0], ty.scalar.bytes() * 8);
                    }
                    _ => break,
                }
            }
        }
    }
    let is_vector = func.ty(v).is_vector();
    Part::Number(v, is_vector.then_some(lane))
}

/// Returns the origin of the lowest `bits` bits of a number of 32 or 64 bits.
pub fn bits_of(func: &Function, number: Value, bits: u32) -> Part {
    let shift = func.def_inst(number).and_then(|inst| {
        let data = &func.insts[inst];
        let count = func.as_splat(*data.args.get(1)?)? as u32;
        // Parts do not reach over the end of the word that they begin in.
        let inside = count < func.ty(number).scalar.bytes() * 8 && count % WORD + bits <= WORD;
        (matches!(data.op, Op::Binary(BinOp::LShr | BinOp::AShr)) && inside).then_some((data.args[0], count))
    });
    let (from, at) = shift.unwrap_or((number, 0));
    Part::Bits(from, at)
}
