//! Lowers atomic operations on device addresses and on elements of arrays. If a kernel has both 64-bit and
//! 32-bit atomics on an array in local memory, its elements have 64 bits, and a 32-bit operation is a
//! compare-and-swap loop on the element that contains the word.

use super::access::{Array, Target};
use super::{Lower, bug};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::ir::inst::{BinOp, CastOp, CmpOp, UnOp};
use crate::ir::{Access, Inst, Op, Storage, Ty, Value};
use crate::pass::PassError;

impl Lower<'_> {
    /// Replaces an atomic operation on a pointer by one on the pointer's storage.
    pub(super) fn atomic(&mut self, inst: Inst, op: AtomicOp, args: &[Value]) -> Result<(), PassError> {
        let result = self.b.func.insts[inst].results.first().copied();
        let value = result.or(args.get(1).copied());
        let ty = value
            .map(|v| self.b.func.ty(v))
            .ok_or_else(|| bug("atomic of no type"))?;
        let operands: Vec<Value> = args[1..].iter().map(|&a| self.mapped(a)).collect();
        let target = self.target(args[0])?;
        let new = self.atomic_on(target, op, ty, result.is_some(), &operands)?;
        if let (Some(_), Some(new)) = (result, new) {
            self.replace(inst, new);
        }
        Ok(())
    }

    /// Emits the operation on a target, and returns its result if it has one.
    fn atomic_on(
        &mut self,
        target: Target,
        op: AtomicOp,
        ty: Ty,
        has_result: bool,
        operands: &[Value],
    ) -> Result<Option<Value>, PassError> {
        let features = &self.target.features;
        let (buffer_64, shared_64) = (features.buffer_int64_atomics, features.shared_int64_atomics);
        let (storage, mut location, has_64) = match target {
            Target::Physical(address) => (Storage::Physical, vec![address], buffer_64),
            Target::Nowhere => return Ok(has_result.then(|| self.b.undef(ty))),
            Target::Several(n) => {
                let mut failed = None;
                let result = has_result.then_some(ty);
                let value = self.in_each(n, result, &mut |lower, target| match lower
                    .atomic_on(target, op, ty, has_result, operands)
                {
                    Ok(value) => value,
                    Err(e) => {
                        failed = Some(e);
                        has_result.then(|| lower.b.undef(ty))
                    }
                });
                return failed.map_or(Ok(value), Err);
            }
            Target::Array(a) => {
                let access = Access {
                    align: ty.bytes(),
                    volatile: false,
                };
                let a = self.suited(a, ty, access);
                match a.storage {
                    Storage::Arena(elem) | Storage::Shared(_, elem) if elem == ty => {
                        (a.storage, self.location(a, 0), shared_64)
                    }
                    Storage::Buffer(_, elem) if elem == ty => (a.storage, self.location(a, 0), buffer_64),
                    Storage::Arena(Ty::I64) | Storage::Shared(_, Ty::I64) if ty == Ty::I32 => {
                        return Ok(Some(self.half_atomic(a, op, operands)));
                    }
                    Storage::Arena(_)
                    | Storage::Variable
                    | Storage::PushWord
                    | Storage::ArgsWord
                    | Storage::Physical
                    | Storage::Buffer(..)
                    | Storage::Shared(..)
                    | Storage::ReadOnly(..) => {
                        return Err(bug("atomic on memory that is not shared").into());
                    }
                }
            }
        };
        if ty == Ty::I64 && !has_64 {
            return Err(PassError::Unsupported {
                feature: "64-bit atomics".into(),
                span: self.b.span,
                needs: "VK_KHR_shader_atomic_int64".into(),
            });
        }
        location.extend(operands);
        let results: Vec<Ty> = has_result.then_some(ty).into_iter().collect();
        let new = self.b.insert(Op::AtomicOn(op, storage), location, &results);
        Ok(self.b.results(new).first().copied())
    }

    /// Emits a 32-bit operation on half of a 64-bit element. Returns the old half.
    fn half_atomic(&mut self, a: Array, op: AtomicOp, operands: &[Value]) -> Value {
        let location = self.location(a, 0);
        let shift = self.bit_in_word(a, 0);
        let load = Op::AtomicOn(AtomicOp::Load, a.storage);
        let first = self.b.value(load, location.clone(), Ty::I64);
        if op == AtomicOp::Load {
            let shifted = self.b.binary(BinOp::LShr, first, shift);
            return self.b.cast(CastOp::Trunc, shifted, Ty::I32);
        }
        let (l, body) = self.b.loop_(vec![first], &[Ty::I32]);
        let old = self.b.func.regions[body].args[0];
        self.b.enter(body);
        let shifted = self.b.binary(BinOp::LShr, old, shift);
        let half = self.b.cast(CastOp::Trunc, shifted, Ty::I32);
        let new = self.new_half(op, half, operands);
        let ones = self.b.bits(Ty::I64, 0xffff_ffff);
        let mask = self.b.binary(BinOp::Shl, ones, shift);
        let keep = self.b.unary(UnOp::Not, mask);
        let kept = self.b.binary(BinOp::And, old, keep);
        let wide = self.b.cast(CastOp::ZExt, new, Ty::I64);
        let placed = self.b.binary(BinOp::Shl, wide, shift);
        let desired = self.b.binary(BinOp::Or, kept, placed);
        let mut args = location;
        args.extend([old, desired]);
        let swap = Op::AtomicOn(AtomicOp::CmpXchg, a.storage);
        let seen = self.b.value(swap, args, Ty::I64);
        let done = self.b.compare(CmpOp::IEq, seen, old);
        let (_, out, again) = self.b.if_(done, &[]);
        self.b.enter(out);
        self.b.exit(l, vec![half]);
        self.b.leave();
        self.b.enter(again);
        self.b.repeat(l, vec![seen]);
        self.b.leave();
        self.b.unreachable();
        self.b.leave();
        self.b.results(l)[0]
    }

    /// Returns the 32-bit value that the operation stores in the place of `old`.
    fn new_half(&mut self, op: AtomicOp, old: Value, operands: &[Value]) -> Value {
        let mut binary = |op: BinOp| self.b.binary(op, old, operands[0]);
        match op {
            AtomicOp::Add => binary(BinOp::IAdd),
            AtomicOp::Sub => binary(BinOp::ISub),
            AtomicOp::And => binary(BinOp::And),
            AtomicOp::Or => binary(BinOp::Or),
            AtomicOp::Xor => binary(BinOp::Xor),
            AtomicOp::Xchg | AtomicOp::Store => operands[0],
            AtomicOp::Load => old,
            AtomicOp::SMin | AtomicOp::SMax | AtomicOp::UMin | AtomicOp::UMax => {
                let op = match op {
                    AtomicOp::SMin => Intrinsic::SMin,
                    AtomicOp::SMax => Intrinsic::SMax,
                    AtomicOp::UMin => Intrinsic::UMin,
                    _ => Intrinsic::UMax,
                };
                self.b.value(Op::Intrinsic(op), vec![old, operands[0]], Ty::I32)
            }
            AtomicOp::CmpXchg => {
                let equal = self.b.compare(CmpOp::IEq, old, operands[0]);
                self.b.select(equal, operands[1], old)
            }
        }
    }
}
