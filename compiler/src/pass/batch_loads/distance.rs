//! The distance between loads and stores of a loop, in iterations: how many iterations may begin with the loads of all of them
//! because none of these loads reads what one of the iterations stores.

use super::overlap::Accesses;
use crate::ir::{BinOp, CastOp, Function, Inst, Op, Region, Scalar, Storage, Ty, Value, ValueDef};

/// Addresses whose constant terms differ by at least this many bytes are not compared. Addresses whose indices differ by at
/// least [`NEAR`] elements are farther from each other than this, even if the index wraps around.
const MAX_BYTES: i64 = 1 << 20;
const NEAR: i32 = 1 << 24;

/// The longest chain of operations that is followed from an index.
const MAX_DEPTH: u32 = 8;

/// An address `root + extended(index + offset) * scale + bytes`, with a 32-bit index.
#[derive(Copy, Clone)]
struct Address {
    root: Value,
    scale: u64,
    extension: CastOp,
    index: Value,
    offset: u32,
    bytes: i64,
}

impl Address {
    fn of(func: &Function, address: Value) -> Option<Address> {
        let (rest, bytes) = without_constant(func, address);
        let data = &func.insts[func.def_inst(rest)?];
        if data.op != Op::Binary(BinOp::IAdd) || func.ty(rest) != Ty::I64 {
            return None;
        }
        let (a, b) = (data.args[0], data.args[1]);
        let (root, (extended, scale)) = match (scaled(func, a), scaled(func, b)) {
            (_, Some(product)) => (a, product),
            (Some(product), None) => (b, product),
            (None, None) => return None,
        };
        let data = &func.insts[func.def_inst(extended)?];
        let Op::Cast(extension @ (CastOp::SExt | CastOp::ZExt)) = data.op else {
            return None;
        };
        if func.ty(data.args[0]) != Ty::I32 {
            return None;
        }
        let (index, offset) = without_constant(func, data.args[0]);
        Some(Address {
            root,
            scale,
            extension,
            index,
            offset: offset as u32,
            bytes: bytes as i64,
        })
    }
}

/// Returns a sum without the constants that are added last, and the sum of these constants.
fn without_constant(func: &Function, mut value: Value) -> (Value, u64) {
    let mut sum = 0u64;
    let parts = |v: Value| {
        let data = &func.insts[func.def_inst(v)?];
        if data.op != Op::Binary(BinOp::IAdd) {
            return None;
        }
        match (func.as_bits(data.args[0]), func.as_bits(data.args[1])) {
            (_, Some(c)) => Some((data.args[0], c)),
            (Some(c), None) => Some((data.args[1], c)),
            (None, None) => None,
        }
    };
    while let Some((rest, c)) = parts(value) {
        sum = sum.wrapping_add(c);
        value = rest;
    }
    (value, sum)
}

/// Returns the operands of a product with a small constant.
fn scaled(func: &Function, value: Value) -> Option<(Value, u64)> {
    let data = &func.insts[func.def_inst(value)?];
    let constant = |n: usize| func.as_bits(data.args[n]);
    let (operand, scale) = match data.op {
        Op::Binary(BinOp::IMul) => (data.args[0], constant(1)?),
        Op::Binary(BinOp::Shl) => (data.args[0], 1u64.checked_shl(constant(1)? as u32)?),
        Op::Cast(_) => (value, 1),
        _ => return None,
    };
    (1..=4096).contains(&scale).then_some((operand, scale))
}

/// A loop whose iterations are compared.
pub(super) struct Loop<'a> {
    pub(super) func: &'a Function,
    pub(super) body: Region,
    /// The repeat at the end of the body.
    pub(super) end: Inst,
}

impl Loop<'_> {
    /// Returns how many iterations may begin with the loads of all of them: at most `factor`. The instructions are those of the
    /// body, in order; the stores are not inside of conditions. Loads and stores whose distance is only known at run time are
    /// added to `unknown`, if a test is possible.
    pub(super) fn factor(
        &self,
        insts: &[Inst],
        moved: impl Fn(Inst) -> bool,
        factor: usize,
        unknown: &mut Accesses,
    ) -> usize {
        let func = self.func;
        let mut least = factor;
        for (at, &store) in insts.iter().enumerate() {
            let Op::StoreTo(Storage::Physical, _) = func.insts[store].op else {
                continue;
            };
            for (n, &load) in insts.iter().enumerate().filter(|&(_, &i)| moved(i)) {
                match func.insts[load].op {
                    Op::LoadFrom(Storage::Physical, _) => {}
                    Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..) | Storage::Variable, _) => continue,
                    Op::LoadFrom(Storage::PushWord | Storage::ArgsWord, _) => continue,
                    // Another storage may have the same memory.
                    _ => return 1,
                }
                // A load that precedes the store in the body may only read what earlier iterations store.
                let first = usize::from(n < at);
                least = match self.pair(load, store, first, factor) {
                    Some(distance) => least.min(distance),
                    None if unknown.add(func, self.body, self.end, load, store) => least,
                    None => return 1,
                };
            }
        }
        least
    }

    /// Returns the smallest distance in iterations, beginning with `first`, at which a load reads what a store writes; 1 if they
    /// are in the same iteration, and `factor` if there is no smaller distance. Returns `None` if the distance is not known.
    fn pair(&self, load: Inst, store: Inst, first: usize, factor: usize) -> Option<usize> {
        let func = self.func;
        let (l, s) = (&func.insts[load], &func.insts[store]);
        let (a, b) = (Address::of(func, l.args[0])?, Address::of(func, s.args[0])?);
        let same = a.root == b.root && a.scale == b.scale && a.extension == b.extension && a.index == b.index;
        let apart = a.bytes.wrapping_sub(b.bytes);
        if !same || apart.abs() >= MAX_BYTES || !self.is_outside(a.root) {
            return None;
        }
        let growth = self.growth(a.index, MAX_DEPTH)?;
        let (loaded, stored) = (func.ty(l.results[0]).bytes(), func.ty(s.args[1]).bytes());
        let meets = |distance: usize| {
            let grown = growth.wrapping_mul(distance as u32);
            let elements = a.offset.wrapping_sub(b.offset).wrapping_add(grown) as i32;
            if elements.checked_abs().is_none_or(|n| n >= NEAR) {
                return false;
            }
            let bytes = i64::from(elements) * a.scale as i64 + apart;
            -i64::from(loaded) < bytes && bytes < i64::from(stored)
        };
        match (first..factor).find(|&distance| meets(distance)) {
            Some(distance) => Some(distance.max(1)),
            None => Some(factor),
        }
    }

    fn is_outside(&self, value: Value) -> bool {
        super::is_outside(self.func, self.body, value)
    }

    /// Returns the constant by which a 32-bit integer grows with each iteration.
    fn growth(&self, value: Value, depth: u32) -> Option<u32> {
        let func = self.func;
        if self.is_outside(value) {
            return Some(0);
        }
        let depth = depth.checked_sub(1)?;
        if let ValueDef::Arg(region, n) = func.values[value].def {
            let next = func.insts[self.end].args[n as usize];
            let (from, step) = without_constant(func, next);
            return (region == self.body && from == value).then_some(step as u32);
        }
        let data = &func.insts[func.def_inst(value)?];
        let of = |n: usize| self.growth(data.args[n], depth);
        match data.op {
            Op::Binary(BinOp::IAdd) => Some(of(0)?.wrapping_add(of(1)?)),
            Op::Binary(BinOp::ISub) => Some(of(0)?.wrapping_sub(of(1)?)),
            Op::Binary(BinOp::IMul) if func.ty(value).scalar == Scalar::I32 => {
                Some(of(0)?.wrapping_mul(func.as_bits(data.args[1])? as u32))
            }
            _ => None,
        }
    }
}
