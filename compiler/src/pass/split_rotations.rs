//! Computes rotations of 64-bit integers by constants in halves.
//!
//! Why: GPUs compute with registers of 32 bits. A funnel shift, which takes 32 bits from two registers next to each
//! other, is one instruction for each half of a rotation, but drivers make one only of `(low >> n) | (high << 32 - n)`
//! with 32 bits. A shift of 64 bits is two instructions, so that a rotation made of two shifts is six.
//! In:  `Ssa`; after loops are unrolled, which makes the numbers of bits constant.
//! Out: `(x << k) | (y >> 64 - k)` of 64 bits, also with `^` or `+`, consists of operations on halves. `x` and `y`
//!      may be the same, so that it is a rotation, or different. Rotations by a variable number of bits stay, and so do
//!      all if the target has [`Costs::whole_rotations`](crate::target::Costs::whole_rotations).

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{BinOp, Builder, CastOp, Function, InstData, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "split_rotations",
    about: "Computes rotations of 64-bit integers by constants in halves, for devices with 32-bit funnel shifts.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The bits of a half.
const HALF: u32 = 32;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    if !cx.target.costs.whole_rotations {
        for (_, func) in module.funcs.iter_mut() {
            changed |= split(func);
        }
    }
    Ok(changed.into())
}

/// Rewrites the rotations in a function, and returns whether there are any.
fn split(func: &mut Function) -> bool {
    let mut changed = false;
    for region in func.regions_in_order() {
        let found = |func: &Function| {
            let insts = &func.regions[region].insts;
            insts.iter().any(|&i| rotation(func, &func.insts[i]).is_some())
        };
        if !found(func) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in insts {
            let data = b.func.insts[inst].clone();
            if let Some(rotation) = rotation(b.func, &data) {
                (b.span, b.fp) = (data.span, data.fp);
                let words = rotation.in_halves(&mut b);
                // The instruction becomes the last of them, so its uses need not change.
                b.func.insts[inst].replace(Op::Cast(CastOp::Bitcast), [words].into());
            }
            b.push(inst);
        }
    }
    changed
}

/// The 64 bits from bit `right` on of the 128 bits `high:low`, for each lane.
struct Rotation {
    low: Value,
    high: Value,
    /// Between 1 and 63.
    right: u32,
    lanes: u8,
}

/// Returns the rotation that an instruction computes, if it is one.
fn rotation(func: &Function, data: &InstData) -> Option<Rotation> {
    // The operands have no bits in common, so these operations have the same result.
    let Op::Binary(BinOp::Or | BinOp::Xor | BinOp::IAdd) = data.op else {
        return None;
    };
    let ty = func.ty(data.args[0]);
    // Halves of more lanes are more words than a vector has.
    if ty.scalar != Scalar::I64 || ty.lanes > 2 {
        return None;
    }
    let shift = |n: usize, op: BinOp| {
        let data = &func.insts[func.def_inst(data.args[n])?];
        let count = func.as_splat(data.args.get(1).copied()?)?;
        (data.op == Op::Binary(op)).then_some((data.args[0], count))
    };
    let (left, right) = match shift(0, BinOp::Shl) {
        Some(left) => (left, shift(1, BinOp::LShr)?),
        None => (shift(1, BinOp::Shl)?, shift(0, BinOp::LShr)?),
    };
    let ((high, left), (low, right)) = (left, right);
    let full = (1..64).contains(&left) && (1..64).contains(&right) && left + right == 64;
    full.then_some(Rotation {
        low,
        high,
        right: right as u32,
        lanes: ty.lanes,
    })
}

impl Rotation {
    /// Computes the halves of the result, as a vector of words.
    fn in_halves(&self, b: &mut Builder<'_>) -> Value {
        let vector = Ty::vector(Scalar::I32, 2 * self.lanes);
        let low = b.cast(CastOp::Bitcast, self.low, vector);
        let high = b.cast(CastOp::Bitcast, self.high, vector);
        let mut words = Vec::new();
        for lane in 0..self.lanes {
            let first = (self.right / HALF) as usize;
            let parts = [(low, 0), (low, 1), (high, 0), (high, 1)];
            let taken = &parts[first..first + 3];
            let taken: Vec<Value> = taken
                .iter()
                .map(|&(v, half)| b.extract(v, 2 * lane + half))
                .collect();
            words.extend(taken.windows(2).map(|pair| self.funnel(b, pair[0], pair[1])));
        }
        b.construct(vector, words)
    }

    /// Returns the 32 bits from a bit of `high:low` on.
    fn funnel(&self, b: &mut Builder<'_>, low: Value, high: Value) -> Value {
        let right = self.right % HALF;
        if right == 0 {
            return low;
        }
        let (right, left) = (b.i32(right as i32), b.i32((HALF - right) as i32));
        let low = b.binary(BinOp::LShr, low, right);
        let high = b.binary(BinOp::Shl, high, left);
        b.binary(BinOp::Or, low, high)
    }
}
