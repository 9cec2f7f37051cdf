//! Offsets and indices of arrays that are addressed with 32 bits. The arithmetic has 32 bits, and the
//! division by the element size is symbolic, so that `p + i * 4` becomes index `i` and not `(i * 4) >> 2`.

use super::Lower;
use crate::ir::analysis::constant_offset;
use crate::ir::inst::{BinOp, CastOp};
use crate::ir::{Const, Op, Ty, Value};
use crate::pass::analysis::facts::facts;

/// The greatest depth of an expression that is rewritten.
const MAX_DEPTH: u32 = 6;
/// The longest chain of `ptr_add` that is followed.
const MAX_CHAIN: u32 = 64;

impl Lower<'_> {
    /// Returns the low 32 bits of an I64 or I32 offset.
    pub(super) fn narrow(&mut self, v: Value, depth: u32) -> Value {
        if self.b.func.ty(v) == Ty::I32 {
            return self.mapped(v);
        }
        if let Some(c) = self.b.func.as_const(v) {
            let bits = match c {
                Const::Bits(lanes) => lanes[0],
                Const::Undef => 0,
            };
            return self.b.bits(Ty::I32, bits & 0xffff_ffff);
        }
        if depth < MAX_DEPTH
            && let Some(inst) = self.b.func.def_inst(v)
        {
            let data = &self.b.func.insts[inst];
            let args = data.args.clone();
            match data.op {
                Op::Cast(op @ (CastOp::SExt | CastOp::ZExt)) => {
                    let a = self.mapped(args[0]);
                    return match self.b.func.ty(a) {
                        Ty::I32 => a,
                        _ => self.b.cast(op, a, Ty::I32),
                    };
                }
                Op::Binary(
                    op @ (BinOp::IAdd | BinOp::ISub | BinOp::IMul | BinOp::And | BinOp::Or | BinOp::Xor),
                ) => {
                    let a = self.narrow(args[0], depth + 1);
                    let c = self.narrow(args[1], depth + 1);
                    return self.b.binary(op, a, c);
                }
                Op::Binary(BinOp::Shl) => {
                    if let Some(count) = self.b.func.as_bits(args[1]).filter(|&c| c < 32) {
                        let a = self.narrow(args[0], depth + 1);
                        let count = self.b.bits(Ty::I32, count);
                        return self.b.binary(BinOp::Shl, a, count);
                    }
                }
                _ => {}
            }
        }
        let v = self.mapped(v);
        self.b.cast(CastOp::Trunc, v, Ty::I32)
    }

    /// Returns a 64-bit offset divided by a power of two, if it is a sum of multiples of that power. Only
    /// 64-bit expressions are divided: the upper bits that 32-bit arithmetic drops would be missing from the
    /// quotient.
    fn divided(&mut self, v: Value, log: u32, depth: u32) -> Option<Quotient> {
        if let Some(offset) = constant_offset(self.b.func, v) {
            return (offset.trailing_zeros() >= log || offset == 0).then_some(Quotient::Const(offset >> log));
        }
        if depth >= MAX_DEPTH || self.b.func.ty(v) != Ty::I64 {
            return None;
        }
        let data = &self.b.func.insts[self.b.func.def_inst(v)?];
        let (a, c) = match data.args[..] {
            [a, c] => (a, c),
            _ => return None,
        };
        match data.op {
            Op::Binary(op @ (BinOp::IAdd | BinOp::ISub)) => {
                let x = self.divided(a, log, depth + 1)?;
                let y = self.divided(c, log, depth + 1)?;
                let (x, y) = (self.quotient(x), self.quotient(y));
                Some(Quotient::Value(self.b.binary(op, x, y)))
            }
            Op::Binary(BinOp::IMul) => {
                let (x, factor) = match (self.b.func.as_bits(a), self.b.func.as_bits(c)) {
                    (_, Some(k)) => (a, k),
                    (Some(k), None) => (c, k),
                    (None, None) => return None,
                };
                let (x, factor) = match log.checked_sub(factor.trailing_zeros()) {
                    None | Some(0) => (self.narrow(x, depth + 1), factor >> log),
                    // The rest of the power is in what is multiplied.
                    Some(more) => (
                        self.divided_extension(x, more, depth + 1)?,
                        factor >> (log - more),
                    ),
                };
                if factor == 1 {
                    return Some(Quotient::Value(x));
                }
                let factor = self.b.bits(Ty::I32, factor & 0xffff_ffff);
                Some(Quotient::Value(self.b.binary(BinOp::IMul, x, factor)))
            }
            Op::Binary(BinOp::Shl) => {
                let count = self.b.func.as_bits(c)?;
                if count < u64::from(log) || count - u64::from(log) > 31 {
                    return None;
                }
                let x = self.narrow(a, depth + 1);
                let count = count - u64::from(log);
                if count == 0 {
                    return Some(Quotient::Value(x));
                }
                let count = self.b.bits(Ty::I32, count);
                Some(Quotient::Value(self.b.binary(BinOp::Shl, x, count)))
            }
            _ => None,
        }
    }

    /// Returns a 64-bit offset that is the extension of an unsigned I32, divided by a power of two of which that is a
    /// multiple.
    fn divided_extension(&mut self, v: Value, log: u32, depth: u32) -> Option<Value> {
        let data = &self.b.func.insts[self.b.func.def_inst(v)?];
        let [word] = data.args[..] else { return None };
        let is_extension = data.op == Op::Cast(CastOp::ZExt) && self.b.func.ty(word) == Ty::I32;
        is_extension
            .then(|| self.divided_word(word, log, depth))
            .flatten()
    }

    /// Returns an unsigned I32 divided by a power of two, if it is a sum of multiples of that power and does not overflow.
    fn divided_word(&mut self, v: Value, log: u32, depth: u32) -> Option<Value> {
        let most = |l: &Self, v: Value| facts(l.b.func, v).max();
        let fits = |n: Option<u64>| n.is_some_and(|n| u32::try_from(n).is_ok());
        if let Some(bits) = self.b.func.as_bits(v) {
            let is_multiple = bits == 0 || bits.trailing_zeros() >= log;
            return is_multiple.then(|| self.b.bits(Ty::I32, bits >> log));
        }
        if depth >= MAX_DEPTH {
            return None;
        }
        let data = &self.b.func.insts[self.b.func.def_inst(v)?];
        let [a, c] = data.args[..] else { return None };
        match data.op {
            Op::Binary(BinOp::IAdd) if fits(most(self, a).checked_add(most(self, c))) => {
                let x = self.divided_word(a, log, depth + 1)?;
                let y = self.divided_word(c, log, depth + 1)?;
                Some(self.b.binary(BinOp::IAdd, x, y))
            }
            Op::Binary(BinOp::IMul) if fits(most(self, a).checked_mul(most(self, c))) => {
                let (x, factor) = match (self.b.func.as_bits(a), self.b.func.as_bits(c)) {
                    (_, Some(k)) => (a, k),
                    (Some(k), None) => (c, k),
                    (None, None) => return None,
                };
                let (x, factor) = match log.checked_sub(factor.trailing_zeros()) {
                    None | Some(0) => (self.mapped(x), factor >> log),
                    Some(more) => (self.divided_word(x, more, depth + 1)?, factor >> (log - more)),
                };
                let factor = self.b.bits(Ty::I32, factor);
                Some(self.b.binary(BinOp::IMul, x, factor))
            }
            Op::Binary(BinOp::Shl) => {
                let count = self.b.func.as_bits(c).filter(|count| *count < 32)? as u32;
                let is_whole = fits(most(self, a).checked_mul(1 << count));
                let left = count.checked_sub(log).filter(|_| is_whole)?;
                let (x, left) = (self.mapped(a), self.b.bits(Ty::I32, left.into()));
                Some(self.b.binary(BinOp::Shl, x, left))
            }
            _ => None,
        }
    }

    /// Returns a quotient as an I32.
    fn quotient(&mut self, q: Quotient) -> Value {
        match q {
            Quotient::Const(c) => self.b.i32(c as i32),
            Quotient::Value(v) => v,
        }
    }

    /// Returns the offset `pointer + extra`, divided by `1 << log`. The division is exact where the pointer
    /// is known to be aligned to `1 << log`, and rounds down otherwise.
    ///
    /// Terms that can be divided symbolically are. The sum of the others is divided by an arithmetic shift,
    /// because it may be negative. (Arrays have less than 2^31 bytes.)
    pub(super) fn index(&mut self, pointer: Value, extra: u32, log: u32) -> Value {
        let mut exact = 0i64;
        let mut constant_rest = 0u32;
        let mut terms = Vec::new();
        let mut rest = Vec::new();
        let mut base = pointer;
        for _ in 0..MAX_CHAIN {
            let Some(inst) = self.b.func.def_inst(base) else {
                break;
            };
            let data = &self.b.func.insts[inst];
            if data.op != Op::PtrAdd {
                break;
            }
            let (next, offset) = (data.args[0], data.args[1]);
            match self.divided(offset, log, 0) {
                Some(Quotient::Const(c)) => exact = exact.wrapping_add(c),
                Some(Quotient::Value(v)) => terms.push(v),
                None => match constant_offset(self.b.func, offset) {
                    Some(c) => constant_rest = constant_rest.wrapping_add(c as u32),
                    None => rest.push(self.narrow(offset, 0)),
                },
            }
            base = next;
        }
        constant_rest = constant_rest.wrapping_add(extra);
        let base = self.mapped(base);
        match self.b.func.as_bits(base) {
            Some(bits) => constant_rest = constant_rest.wrapping_add(bits as u32),
            None => rest.push(base),
        }
        let multiple = constant_rest as i32 >> log;
        exact = exact.wrapping_add(i64::from(multiple));
        constant_rest = constant_rest.wrapping_sub((multiple << log) as u32);
        if let Some(sum) = self.sum(rest) {
            let sum = self.plus(sum, constant_rest);
            terms.push(self.shifted(sum, log));
        }
        match self.sum(terms) {
            None => self.b.i32(exact as i32),
            Some(s) => self.plus(s, exact as u32),
        }
    }

    /// Returns the sum of I32s, starting with the last, which is the order of the source.
    fn sum(&mut self, terms: Vec<Value>) -> Option<Value> {
        let mut sum = None;
        for term in terms.into_iter().rev() {
            sum = Some(match sum {
                None => term,
                Some(s) => self.b.binary(BinOp::IAdd, s, term),
            });
        }
        sum
    }

    /// Returns the sum of an I32 and a constant.
    pub(super) fn plus(&mut self, v: Value, extra: u32) -> Value {
        if extra == 0 {
            return v;
        }
        if let Some(bits) = self.b.func.as_bits(v) {
            return self.b.i32((bits as u32).wrapping_add(extra) as i32);
        }
        let extra = self.b.i32(extra as i32);
        self.b.binary(BinOp::IAdd, v, extra)
    }

    /// Returns an I32 divided by `1 << log`, rounded down.
    fn shifted(&mut self, v: Value, log: u32) -> Value {
        if log == 0 {
            return v;
        }
        if let Some(bits) = self.b.func.as_bits(v) {
            return self.b.i32(bits as u32 as i32 >> log);
        }
        let log = self.b.i32(log as i32);
        self.b.binary(BinOp::AShr, v, log)
    }
}

/// A quotient, as a constant or as an I32.
enum Quotient {
    Const(i64),
    Value(Value),
}
