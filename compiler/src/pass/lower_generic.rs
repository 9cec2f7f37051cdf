//! Lowers generic pointers to numbers of 64 bits.
//!
//! Why: no pointer of SPIR-V for Vulkan leads to several kinds of memory (OpenCL 3.0 C 6.7.4).
//! In:  `Inlined`; after `resolve_generic`, which leaves pointers here whose space is only known at run time.
//! Out: `NoGeneric`. A generic pointer is a number with the tag of its space in the upper bits
//!      ([`AddressSpace::tag`]). An access tests the tag, and is made by a pointer to the space that it names.
//!
//! ```text
//! %3: f32 = Load align 4 %2          ; ptr<generic>, to local or global memory
//!
//! %4: i64 = ShiftRightLogical %2, i64 60
//! %5: bool = IEqual %4, i64 1
//! %3: f32 = if ^b0 %5 {
//!   %6: i64 = BitwiseAnd %2, i64 1152921504606846975
//!   %7: ptr<local> = int_to_ptr %6
//!   %8: f32 = Load align 4 %7
//!   exit ^b0 %8
//! } else {
//!   %9: ptr<global> = int_to_ptr %2
//!   …
//! ```
//!
//! An object in private or local memory whose generic pointer is left becomes a part of the stack or of the
//! arena, as do all objects whose addresses are numbers. Atomic operations on private memory are a load, the
//! operation, and a store. Only the spaces that `analysis/generic_spaces.rs` finds are tested.

use super::analysis::generic_spaces::{GenericSpaces, is_generic};
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::atomic::one_item_atomic;
use crate::ir::build::Builder;
use crate::ir::inst::CastOp;
use crate::ir::ty::TAG_SHIFT;
use crate::ir::{
    AddressSpace, BinOp, CmpOp, EntityRef, Function, Inst, Module, Op, Ty, Value, ValueDef, ValueList,
};

pub const PASS: Pass = Pass {
    name: "lower_generic",
    about: "Lowers generic pointers to numbers, and accesses by them to tests of the space.",
    run,
    requires: inv![Inlined],
    establishes: inv![NoGeneric],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        let is_kernel = module.kernels.iter().any(|k| k.func == f);
        if let Some(spaces) = GenericSpaces::new(func, is_kernel) {
            lower(func, &spaces);
            changed = true;
        }
    }
    Ok(changed.into())
}

/// Lowers the generic pointers of a function: first their types and constants, then the instructions that use them.
fn lower(func: &mut Function, spaces: &GenericSpaces) {
    let mut l = Lowering {
        spaces,
        generic: func.values.keys().map(|v| is_generic(func, v)).collect(),
        map: vec![None; func.values.len()],
    };
    for v in (0..l.generic.len()).map(Value::new) {
        if !l.was_generic(v) {
            continue;
        }
        match &func.values[v].def {
            ValueDef::Const(c) => {
                let c = c.clone();
                l.map[v.index()] = Some(func.constant(Ty::I64, c));
            }
            ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Param(_) => func.values[v].ty = Ty::I64,
        }
    }
    for result in &mut func.results {
        if *result == Ty::ptr(AddressSpace::Generic) {
            *result = Ty::I64;
        }
    }
    for region in func.regions_in_order() {
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            b.span = b.func.insts[inst].span;
            l.inst(&mut b, inst);
        }
    }
    let order = func.insts_in_order();
    for inst in order {
        for n in 0..func.insts[inst].args.len() {
            let mut v = func.insts[inst].args[n];
            while let Some(Some(new)) = l.map.get(v.index()) {
                v = *new;
            }
            func.insts[inst].args[n] = v;
        }
    }
}

/// The state of the pass for one function.
struct Lowering<'s> {
    spaces: &'s GenericSpaces,
    /// For each value, whether it was a generic pointer.
    generic: Vec<bool>,
    /// For each value, the value that replaces it, if any.
    map: Vec<Option<Value>>,
}

/// How a part of an instruction is emitted for a pointer to one space; returns the result, if there is one.
type Emit<'e> = &'e mut dyn FnMut(&mut Lowering<'_>, &mut Builder<'_>, Value) -> Option<Value>;

impl Lowering<'_> {
    fn replace(&mut self, b: &Builder<'_>, inst: Inst, new: Value) {
        let old = b.func.insts[inst].results[0];
        self.map[old.index()] = Some(new);
    }

    /// Returns whether a value was a generic pointer.
    fn was_generic(&self, v: Value) -> bool {
        self.generic.get(v.index()).is_some_and(|&g| g)
    }

    /// Returns the number that a generic pointer is now.
    fn number(&self, v: Value) -> Value {
        match self.map.get(v.index()) {
            Some(Some(new)) => *new,
            Some(None) | None => v,
        }
    }

    /// Puts an instruction at the cursor, or what replaces it.
    fn inst(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let data = &b.func.insts[inst];
        let (op, args) = (data.op.clone(), data.args.clone());
        let result = data.results.first().map(|&r| b.func.ty(r));
        let at = |l: &Self, n: usize| l.was_generic(args[n]);
        match &op {
            Op::Cast(CastOp::PtrCast) if at(self, 0) => {
                let to = result.and_then(Ty::space).unwrap_or(AddressSpace::Global);
                let new = specific(b, self.number(args[0]), to);
                self.replace(b, inst, new);
            }
            Op::Cast(CastOp::PtrCast) if result == Some(Ty::I64) => {
                let new = tagged(b, args[0]);
                self.replace(b, inst, new);
            }
            Op::Cast(CastOp::PtrToInt) if at(self, 0) => {
                let number = self.number(args[0]);
                self.replace(b, inst, number);
            }
            Op::Cast(CastOp::IntToPtr) if result == Some(Ty::I64) => self.replace(b, inst, args[0]),
            Op::PtrAdd if at(self, 0) => {
                let offset = match b.func.ty(args[1]) {
                    Ty::I64 => args[1],
                    _ => b.cast(CastOp::SExt, args[1], Ty::I64),
                };
                let new = b.binary(BinOp::IAdd, self.number(args[0]), offset);
                self.replace(b, inst, new);
            }
            Op::Intrinsic(Intrinsic::PointerTag) => {
                let tag = tag_of(b, self.number(args[0]));
                let new = b.cast(CastOp::Trunc, tag, Ty::I32);
                self.replace(b, inst, new);
            }
            Op::Load(access) if at(self, 0) => {
                let (access, ty) = (*access, result.unwrap_or(Ty::I64));
                let new = self.by_space(b, args[0], Some(ty), &mut |_, b, ptr| {
                    Some(b.load(ptr, ty, access))
                });
                if let Some(new) = new {
                    self.replace(b, inst, new);
                }
            }
            Op::Store(_) | Op::MemZero { .. } if at(self, 0) => {
                self.by_space(b, args[0], None, &mut |_, b, ptr| {
                    let mut args = args.clone();
                    args[0] = ptr;
                    b.insert(op.clone(), args, &[]);
                    None
                });
            }
            Op::MemCpy { .. } if at(self, 0) || at(self, 1) => self.copy(b, &op, &args),
            Op::Intrinsic(Intrinsic::Atomic(atomic)) if at(self, 0) => {
                let new = self.by_space(b, args[0], result, &mut |_, b, ptr| {
                    if b.func.ty(ptr).space() == Some(AddressSpace::Private) {
                        return one_item_atomic(b, *atomic, ptr, &args[1..], result);
                    }
                    let mut args = args.clone();
                    args[0] = ptr;
                    let value = b.insert(op.clone(), args, result.as_slice());
                    b.results(value).first().copied()
                });
                if let Some(new) = new {
                    self.replace(b, inst, new);
                }
            }
            // The hint is of no use without a space.
            Op::Intrinsic(Intrinsic::Prefetch) if at(self, 0) => {}
            // All other instructions pass pointers on, or compare them.
            _ => b.push(inst),
        }
    }

    /// Copies between memory of which at least one side is generic.
    fn copy(&mut self, b: &mut Builder<'_>, op: &Op, args: &ValueList) {
        let (to, from) = (args[0], args[1]);
        let from_generic = self.was_generic(from);
        let mut copy_to = |l: &mut Lowering<'_>, b: &mut Builder<'_>, to: Value| {
            if from_generic {
                l.by_space(b, from, None, &mut |_, b, from| {
                    b.insert(op.clone(), [to, from], &[]);
                    None
                });
            } else {
                b.insert(op.clone(), [to, from], &[]);
            }
            None
        };
        if self.was_generic(to) {
            self.by_space(b, to, None, &mut copy_to);
        } else {
            copy_to(self, b, to);
        }
    }

    /// Emits something for each space that a generic pointer may lead to, under the condition that it does.
    /// Returns the result, which is of type `ty`.
    fn by_space(
        &mut self,
        b: &mut Builder<'_>,
        generic: Value,
        ty: Option<Ty>,
        emit: Emit<'_>,
    ) -> Option<Value> {
        let spaces: Vec<AddressSpace> = self.spaces.of(generic).iter().collect();
        let generic = self.number(generic);
        // Every pointer that is neither null nor has another tag is one to the last space.
        let Some((&last, tested)) = spaces.split_last() else {
            let ptr = specific(b, generic, AddressSpace::Global);
            return emit(self, b, ptr);
        };
        let mut outer = Vec::new();
        for &space in tested {
            let tag = tag_of(b, generic);
            let number = b.i64(space.tag() as i64);
            let is = b.compare(CmpOp::IEq, tag, number);
            let (test, then, otherwise) = b.if_(is, ty.as_slice());
            b.enter(then);
            let ptr = specific(b, generic, space);
            let value = emit(self, b, ptr);
            b.exit(test, value.into_iter().collect());
            b.leave();
            b.enter(otherwise);
            outer.push(test);
        }
        let ptr = specific(b, generic, last);
        let mut value = emit(self, b, ptr);
        for test in outer.into_iter().rev() {
            b.exit(test, value.into_iter().collect());
            b.leave();
            value = b.results(test).first().copied();
        }
        value
    }
}

/// Returns the bits that tell the space of a generic pointer.
fn tag_of(b: &mut Builder<'_>, generic: Value) -> Value {
    let shift = b.i64(i64::from(TAG_SHIFT));
    b.binary(BinOp::LShr, generic, shift)
}

/// Returns the pointer to a space that a generic pointer is.
fn specific(b: &mut Builder<'_>, generic: Value, space: AddressSpace) -> Value {
    let number = if space == AddressSpace::Global {
        generic
    } else {
        let mask = b.i64((1 << TAG_SHIFT) - 1);
        b.binary(BinOp::And, generic, mask)
    };
    b.cast(CastOp::IntToPtr, number, Ty::ptr(space))
}

/// Returns the number that stands for a pointer as a generic one. Null pointers of all spaces are equal.
fn tagged(b: &mut Builder<'_>, ptr: Value) -> Value {
    let tag = b.func.ty(ptr).space().map_or(0, AddressSpace::tag);
    let number = b.cast(CastOp::PtrToInt, ptr, Ty::I64);
    if tag == 0 {
        return number;
    }
    let zero = b.i64(0);
    let is_null = b.compare(CmpOp::IEq, number, zero);
    let tag = b.i64((tag << TAG_SHIFT) as i64);
    let with_tag = b.binary(BinOp::Or, number, tag);
    b.select(is_null, zero, with_tag)
}
