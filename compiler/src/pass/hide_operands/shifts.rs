//! Finds shifts of 64-bit integers to the left by 31 bits, and computes them in 32-bit words.

use super::Hidden;
use crate::ir::{BinOp, CastOp, Function, Inst, Op, Scalar, Ty, Value};

/// The distance that the driver shifts incorrectly.
const DISTANCE: u64 = 31;

/// How a shift is computed.
pub(super) enum Shift {
    /// The number is shifted by 31 in words.
    InWords(Value),
    /// The operand is hidden.
    OfHidden,
}

/// Returns how to compute a shift of a 64-bit integer to the left by 31 bits. The distance may be the sum of those of several
/// shifts and products with powers of two. Shifts of sign-extended integers by a variable distance are included, because the
/// driver may find the distance 31 when it unrolls a loop.
pub(super) fn shift(func: &Function, inst: Inst) -> Option<Shift> {
    let data = &func.insts[inst];
    let (value, by) = (*data.args.first()?, *data.args.get(1)?);
    let is_long = func.ty(value).scalar == Scalar::I64;
    if !is_long || func.as_const(value).is_some() {
        return None;
    }
    if func.as_const(by).is_none() {
        let def = func.def_inst(value).map(|def| &func.insts[def].op);
        let is_extended = matches!(def, Some(Op::Cast(CastOp::SExt)));
        return (data.op == Op::Binary(BinOp::Shl) && is_extended).then_some(Shift::OfHidden);
    }
    let (mut root, mut total) = distance(func, inst)?;
    while let Some((value, by)) = func.def_inst(root).and_then(|def| distance(func, def)) {
        (root, total) = (value, total + by);
    }
    let is_vector = func.ty(value).is_vector();
    (total == DISTANCE).then_some(if is_vector {
        Shift::OfHidden
    } else {
        Shift::InWords(root)
    })
}

/// Returns the number that an instruction shifts to the left, and by how many bits, if the distance is a constant.
fn distance(func: &Function, inst: Inst) -> Option<(Value, u64)> {
    let data = &func.insts[inst];
    let constant = func.as_splat(*data.args.get(1)?)?;
    let by = match data.op {
        Op::Binary(BinOp::Shl) => constant,
        Op::Binary(BinOp::IMul) => constant.is_power_of_two().then(|| u64::from(constant.ilog2()))?,
        _ => return None,
    };
    (by < 64).then_some((data.args[0], by))
}

impl Hidden {
    /// Turns a shift of a number by 31 bits into shifts of its words.
    pub(super) fn shift_in_words(&mut self, func: &mut Function, inst: Inst, number: Value) {
        let words = Ty::vector(Scalar::I32, 2);
        let both = self.add_before(func, inst, Op::Cast(CastOp::Bitcast), vec![number], words);
        let low = self.add_before(func, inst, Op::Extract(0), vec![both], Ty::I32);
        let high = self.add_before(func, inst, Op::Extract(1), vec![both], Ty::I32);
        let [distance, rest] = [DISTANCE, 32 - DISTANCE].map(|n| func.splat_bits(Ty::I32, n));
        let mut of_words =
            |op: BinOp, a: Value, b: Value| self.add_before(func, inst, Op::Binary(op), vec![a, b], Ty::I32);
        let moved = of_words(BinOp::Shl, low, distance);
        let upper = of_words(BinOp::Shl, high, distance);
        let carried = of_words(BinOp::LShr, low, rest);
        let upper = of_words(BinOp::Or, upper, carried);
        let pair = self.add_before(func, inst, Op::Construct, vec![moved, upper], words);
        let data = &mut func.insts[inst];
        data.op = Op::Cast(CastOp::Bitcast);
        data.args = std::iter::once(pair).collect();
        data.no_wrap = false;
    }
    /// Adds an instruction with one result before another instruction.
    fn add_before(&mut self, func: &mut Function, inst: Inst, op: Op, args: Vec<Value>, ty: Ty) -> Value {
        let span = func.insts[inst].span;
        let new = func.new_inst(op, args, &[ty], span);
        self.before.entry(inst).or_default().push(new);
        func.insts[new].results[0]
    }
}
