//! Finds out from which other numbers the bits of a number come. Shifts, masks and extensions move or remove bits; `or` and
//! other operations join numbers whose bits do not overlap.

use crate::hash::HashMap;
use crate::ir::{BinOp, CastOp, Function, InstData, Op, Value};
use crate::pass::analysis::facts::facts;

/// Bits of a number, or of each lane of a vector, that come from one value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// The value from which the bits come.
    pub root: Value,
    /// The number of places by which the bits have moved up from where they are in `root`; negative if they have moved down.
    pub up: i32,
    /// The bits of the number that come from `root` and that may be set.
    pub bits: u64,
}

/// The parts of a number. No byte is made of two of them.
#[derive(Clone, Debug)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// Returns the parts of an instruction's result; `None` if the result is no integer. An operand that is not in `known` is one
    /// part.
    pub(super) fn of_result(
        func: &Function,
        data: &InstData,
        known: &HashMap<Value, Parts>,
    ) -> Option<Parts> {
        let result = data.results[0];
        let width = width(func, result)?;
        let of = |n: usize| Parts::of_operand(func, data.args[n], known);
        let constant = |n: usize| func.as_splat(data.args[n]);
        let fresh = || Parts::whole(func, result, width);
        let parts = match data.op {
            Op::Binary(op @ (BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::IMul | BinOp::UDiv)) => {
                let Some(by) = constant(1).and_then(|c| distance(op, c, width)) else {
                    return fresh();
                };
                match op {
                    BinOp::Shl | BinOp::IMul => of(0)?.moved(by),
                    BinOp::AShr => of(0)?.sign_extended(width, result, by),
                    _ => of(0)?.moved(-by),
                }
            }
            Op::Binary(BinOp::And) => match (constant(0), constant(1)) {
                (Some(mask), _) => of(1)?.masked(mask),
                (_, Some(mask)) => of(0)?.masked(mask),
                _ => fresh()?.masked(of(0)?.bits() & of(1)?.bits()),
            },
            Op::Binary(op @ (BinOp::Or | BinOp::Xor | BinOp::IAdd)) => {
                let (a, b) = (of(0)?, of(1)?);
                // A sum may carry into the bits above.
                if op == BinOp::IAdd && a.bits() & b.bits() != 0 {
                    return fresh();
                }
                a.joined(b, result)
            }
            Op::Cast(CastOp::ZExt | CastOp::Trunc) => match self::width(func, data.args[0]) {
                Some(_) => of(0)?,
                None => return fresh(),
            },
            Op::Cast(CastOp::SExt) => match self::width(func, data.args[0]) {
                Some(from) => of(0)?.sign_extended(from, result, 0),
                None => return fresh(),
            },
            _ => return fresh(),
        };
        Some(parts.masked(low(width)))
    }

    /// Returns the parts of an operand; `None` if it is no integer.
    fn of_operand(func: &Function, value: Value, known: &HashMap<Value, Parts>) -> Option<Parts> {
        match known.get(&value) {
            Some(parts) => Some(parts.clone()),
            None => Parts::whole(func, value, width(func, value)?),
        }
    }

    /// Returns a value as its own only part, with the bits that may be set.
    fn whole(func: &Function, value: Value, width: u32) -> Option<Parts> {
        let bits = match func.as_splat(value) {
            Some(constant) => constant,
            None if func.ty(value).is_vector() => u64::MAX,
            None => facts(func, value).possible_ones(),
        };
        Some(
            Parts(vec![Part {
                root: value,
                up: 0,
                bits,
            }])
            .masked(low(width)),
        )
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }

    /// Returns the bits that may be set.
    pub(super) fn bits(&self) -> u64 {
        self.0.iter().fold(0, |all, part| all | part.bits)
    }

    /// Returns the part to which a byte belongs; `None` if the byte is zero.
    pub(super) fn byte(&self, index: usize) -> Option<Part> {
        let mask = 0xff << (8 * index);
        self.0.iter().copied().find(|part| part.bits & mask != 0)
    }

    /// Returns the parts without the bits that a mask lacks.
    fn masked(mut self, mask: u64) -> Parts {
        for part in &mut self.0 {
            part.bits &= mask;
        }
        self.0.retain(|part| part.bits != 0);
        self
    }

    /// Returns the parts after a shift by fewer than 64 places: up, or down if the distance is negative.
    fn moved(mut self, up: i32) -> Parts {
        for part in &mut self.0 {
            part.up += up;
            part.bits = match up >= 0 {
                true => part.bits << up,
                false => part.bits >> -up,
            };
        }
        self.masked(u64::MAX)
    }

    /// Returns the parts of a signed number of `width` bits after an extension to 64 bits and then a shift down. The lowest byte of
    /// the copied sign counts as a byte of `root`, the one after the highest byte of the number, because the driver's fault also
    /// occurs if these two bytes are exchanged. The other bytes of the sign belong to the result.
    fn sign_extended(self, width: u32, result: Value, down: i32) -> Parts {
        let has_sign = |part: &Part| part.bits >> (width - 1) & 1 != 0;
        let highest = self.0.iter().copied().find(has_sign);
        let mut parts = self.moved(-down);
        if let Some(highest) = highest {
            let sign = width.saturating_add_signed(-down);
            parts.0.push(Part {
                up: highest.up - down,
                bits: low(sign + 8) & !low(sign),
                ..highest
            });
            parts.0.push(Part {
                root: result,
                up: 0,
                bits: !low(sign + 8),
            });
        }
        parts.with_bytes_of_one_part(result)
    }

    /// Returns the parts of a number that an `or` makes of two.
    fn joined(mut self, other: Parts, result: Value) -> Parts {
        for part in other.0 {
            match self.0.iter_mut().find(|p| p.root == part.root && p.up == part.up) {
                Some(same) => same.bits |= part.bits,
                None => self.0.push(part),
            }
        }
        self.with_bytes_of_one_part(result)
    }

    /// Gives the bytes that are made of several parts to the result itself.
    fn with_bytes_of_one_part(self, result: Value) -> Parts {
        let mixed = (0..8).map(|n| 0xff << (8 * n)).filter(|mask| {
            let parts = self.0.iter().filter(|part| part.bits & mask != 0);
            parts.count() > 1
        });
        let mixed = mixed.fold(0, |all, mask| all | mask);
        let bits = self.bits() & mixed;
        let mut parts = self.masked(!mixed);
        match parts.0.iter_mut().find(|part| part.root == result) {
            Some(own) => own.bits |= bits,
            None => parts.0.push(Part {
                root: result,
                up: 0,
                bits,
            }),
        }
        parts.masked(u64::MAX)
    }
}

/// Returns a mask of the lowest `bits` bits.
fn low(bits: u32) -> u64 {
    match bits {
        0 => 0,
        _ => u64::MAX >> 64_u32.saturating_sub(bits),
    }
}

/// Returns the number of places by which an operation on numbers of `width` bits moves the bits of its first operand; `None` if
/// the operation does anything else.
fn distance(op: BinOp, constant: u64, width: u32) -> Option<i32> {
    let bits = match op {
        BinOp::IMul | BinOp::UDiv => constant.is_power_of_two().then(|| u64::from(constant.ilog2()))?,
        _ => constant,
    };
    (bits < u64::from(width)).then_some(bits as i32)
}

/// Returns the size in bits of an integer, or of a lane of a vector of integers; `None` for other types.
fn width(func: &Function, value: Value) -> Option<u32> {
    let scalar = func.ty(value).scalar;
    scalar.is_int().then(|| scalar.bits())
}
