//! Barriers, fences, atomic operations and asynchronous copies.

use super::func::FuncLowering;
use crate::intrinsic::{AtomicOp, Clock, FenceFlags, FloatAtomic, Intrinsic};
use crate::ir::atomic::{float_atomic, one_item_atomic};
use crate::ir::{AddressSpace, CastOp, CmpOp, Op as IrOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::library::CType;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{MemorySemantics, Op, Scope};

/// What memory semantics mean for an atomic operation or a fence.
struct Semantics {
    flags: FenceFlags,
    acquire: bool,
    release: bool,
    /// Sequential consistency (`docs/adr/0019-memory-orders.md`).
    sequential: bool,
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the scope that operand `n` names.
    pub(super) fn scope(&self, inst: &Inst<'_>, n: usize) -> Result<Scope, Error> {
        let number = u32::try_from(self.integer(inst, n)?).unwrap_or(u32::MAX);
        Scope::from_u32(number).ok_or_else(|| inst.invalid(format!("the scope {number} is unknown")))
    }

    /// Returns the memory scope that operand `n` names. One that is only known at run time is the widest.
    fn memory_scope(&self, inst: &Inst<'_>, n: usize) -> Result<Scope, Error> {
        let scope = if self.is_computed(inst, n)? {
            Scope::Device
        } else {
            self.scope(inst, n)?
        };
        match scope {
            // Devices share memory between commands only, or its accesses are coherent. On memory without
            // CL_MEM_SVM_ATOMICS, the scope of all devices is that of the device (OpenCL API 3.3.4).
            Scope::CrossDevice => Ok(Scope::Device),
            Scope::Device | Scope::Workgroup | Scope::Subgroup | Scope::Invocation => Ok(scope),
            _ => Err(inst.unsupported(format!("the memory scope {scope:?} is not implemented"))),
        }
    }

    /// Returns whether operand `n` is an integer that is computed at run time.
    fn is_computed(&self, inst: &Inst<'_>, n: usize) -> Result<bool, Error> {
        let id = inst.arg(n)?;
        let is_constant = self.cx.source.consts.integer(id).is_some();
        let is_value = |ty| self.cx.source.types.value(ty) == Some(Ty::I32);
        Ok(!is_constant && self.type_of(inst, id).is_ok_and(is_value))
    }

    /// Returns the memory semantics that operand `n` names; if they are only known at run time, those that order most.
    /// For barriers and fences, sequential consistency is acquire and release of the memory that the semantics name.
    fn semantics(&self, inst: &Inst<'_>, n: usize) -> Result<Semantics, Error> {
        if self.is_computed(inst, n)? {
            return Ok(Semantics {
                flags: FenceFlags {
                    local: true,
                    global: true,
                },
                sequential: true,
                acquire: true,
                release: true,
            });
        }
        let number = u32::try_from(self.integer(inst, n)?).unwrap_or(u32::MAX);
        let Some(mask) = MemorySemantics::from_bits(number) else {
            return Err(inst.unsupported(format!("the memory semantics {number:#x} are unknown")));
        };
        let sequential = mask.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT);
        let both = sequential || mask.contains(MemorySemantics::ACQUIRE_RELEASE);
        let global = MemorySemantics::CROSS_WORKGROUP_MEMORY
            | MemorySemantics::IMAGE_MEMORY
            | MemorySemantics::UNIFORM_MEMORY;
        Ok(Semantics {
            flags: FenceFlags {
                local: mask.contains(MemorySemantics::WORKGROUP_MEMORY),
                global: mask.intersects(global),
            },
            sequential,
            acquire: both || mask.contains(MemorySemantics::ACQUIRE),
            release: both || mask.contains(MemorySemantics::RELEASE),
        })
    }

    pub(super) fn control_barrier(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(3)?;
        if self.is_computed(inst, 0)? {
            return Err(
                inst.unsupported("an execution scope that is computed at run time is not implemented")
            );
        }
        let (execution, memory) = (self.scope(inst, 0)?, self.memory_scope(inst, 1)?);
        let semantics = self.semantics(inst, 2)?;
        let barrier = match execution {
            Scope::Workgroup => Intrinsic::Barrier(semantics.flags),
            Scope::Subgroup if self.cx.has_subgroups => Intrinsic::SubgroupBarrier(semantics.flags),
            Scope::Subgroup => return Err(inst.unsupported("the device does not have cl_khr_subgroups")),
            _ => {
                return Err(
                    inst.unsupported(format!("barriers of the scope {execution:?} are not implemented"))
                );
            }
        };
        // A barrier orders memory for its own scope only.
        let beyond = memory == Scope::Device && semantics.flags.global;
        if beyond {
            self.b.intrinsic(Intrinsic::Fence(semantics.flags), vec![], None);
        }
        self.b.intrinsic(barrier, vec![], None);
        if beyond {
            self.b.intrinsic(Intrinsic::Fence(semantics.flags), vec![], None);
        }
        Ok(())
    }

    /// Translates OpControlBarrierArriveINTEL. OpControlBarrierWaitINTEL is the barrier.
    pub(super) fn arrive(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        inst.exactly(3)?;
        let memory = Inst {
            args: inst.args_from(1)?,
            ..*inst
        };
        self.memory_barrier(&memory)
    }

    /// Translates OpReadClockKHR, whose result is a long or a pair of ints. The work-items of a work-group share the
    /// clock of the device.
    pub(super) fn read_clock(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let clock = match self.scope(inst, 0)? {
            Scope::Device | Scope::Workgroup => Clock::Device,
            Scope::Subgroup => Clock::Subgroup,
            scope => return Err(inst.unsupported(format!("the scope {scope:?} has no clock"))),
        };
        let ty = self.result_type(inst)?;
        if ty != Ty::I64 && ty != Ty::vector(Scalar::I32, 2) {
            return Err(inst.invalid("the result has not 64 bits"));
        }
        let ticks = self
            .b
            .value(IrOp::Intrinsic(Intrinsic::ReadClock(clock)), [], Ty::I64);
        let value = self.b.cast(CastOp::Bitcast, ticks, ty);
        self.define(inst, value)
    }

    pub(super) fn memory_barrier(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let semantics = self.semantics(inst, 1)?;
        if self.memory_scope(inst, 0)? != Scope::Invocation {
            self.b.intrinsic(Intrinsic::Fence(semantics.flags), vec![], None);
        }
        Ok(())
    }

    /// Translates an atomic operation to a relaxed one with the fences that its semantics ask for.
    pub(super) fn atomic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (space, _) = self.pointer(inst, inst.arg(0)?)?;
        if !matches!(
            space,
            AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic | AddressSpace::Private
        ) {
            return Err(inst.invalid("an atomic operation on memory that is never written"));
        }
        self.memory_scope(inst, 1)?;
        let mut semantics = self.semantics(inst, 2)?;
        if semantics.sequential {
            // Sequential consistency is one order of the operations on all memory.
            semantics.flags = FenceFlags {
                local: true,
                global: true,
            };
        }
        let ptr = self.operand(inst, 0)?;
        if let Some(op) = float_operation(inst.op) {
            return self.on_float(inst, op, ptr, semantics);
        }
        let (mut op, mut operands) = self.atomic_operands(inst)?;
        let stores = op == AtomicOp::Store;
        if semantics.sequential {
            match op {
                AtomicOp::Store => op = AtomicOp::Xchg,
                AtomicOp::Load => {
                    // A float is read as an integer.
                    let ty = self.result_type(inst)?;
                    let word = ty.with_scalar(Scalar::int(ty.scalar.bits()));
                    let zero = self.b.zero(word);
                    operands.push(zero);
                    op = AtomicOp::Or;
                }
                _ => {}
            }
        }
        let fence = Intrinsic::Fence(semantics.flags);
        let orders = semantics.flags.local || semantics.flags.global;
        if orders && semantics.release {
            self.b.intrinsic(fence, vec![], None);
        }
        let value = self.relaxed(inst, op, ptr, &operands)?;
        if orders && semantics.acquire {
            self.b.intrinsic(fence, vec![], None);
        }
        match (value, inst.op) {
            (Some(_), _) if stores => Ok(()),
            (Some(value), Op::AtomicFlagTestAndSet) => {
                let zero = self.b.zero(Ty::I32);
                let value = self.b.compare(CmpOp::INe, value, zero);
                self.define(inst, value)
            }
            (Some(value), Op::AtomicLoad) => {
                let ty = self.result_type(inst)?;
                let value = self.b.cast(CastOp::Bitcast, value, ty);
                self.define(inst, value)
            }
            _ => self.define_from(inst, value),
        }
    }

    /// Translates an operation of SPV_EXT_shader_atomic_float_add or …_min_max.
    fn on_float(
        &mut self,
        inst: &Inst<'_>,
        op: FloatAtomic,
        ptr: Value,
        semantics: Semantics,
    ) -> Result<(), Error> {
        let operand = self.operand(inst, 3)?;
        let ty = self.b.func.ty(operand);
        if self.result_type(inst)? != ty {
            return Err(inst.invalid("the value is not of the type of the result"));
        }
        if self.b.func.ty(ptr) == Ty::ptr(AddressSpace::Private) {
            return Err(inst.unsupported("atomic operations on floats in private memory are not implemented"));
        }
        if !matches!(ty, Ty::F32 | Ty::F64) {
            return Err(inst.unsupported("atomic operations on floats are implemented for 32 and 64 bits"));
        }
        let fence = Intrinsic::Fence(semantics.flags);
        let orders = semantics.flags.local || semantics.flags.global;
        if orders && semantics.release {
            self.b.intrinsic(fence, vec![], None);
        }
        let value = float_atomic(&mut self.b, op, ptr, operand);
        if orders && semantics.acquire {
            self.b.intrinsic(fence, vec![], None);
        }
        self.define(inst, value)
    }

    /// Emits a relaxed atomic operation. Floats are exchanged, loaded and stored as integers.
    fn relaxed(
        &mut self,
        inst: &Inst<'_>,
        op: AtomicOp,
        ptr: Value,
        operands: &[Value],
    ) -> Result<Option<Value>, Error> {
        let ty = match operands.first() {
            Some(&v) => self.b.func.ty(v),
            None => self.result_type(inst)?,
        };
        let moves = matches!(op, AtomicOp::Xchg | AtomicOp::Load | AtomicOp::Store);
        let word = match ty {
            Ty::I32 | Ty::I64 => ty,
            Ty::F32 if moves => Ty::I32,
            Ty::F64 if moves => Ty::I64,
            _ => {
                return Err(
                    inst.unsupported("atomic operations are implemented for integers of 32 and 64 bits")
                );
            }
        };
        let mut args = vec![ptr];
        for &v in operands {
            if self.b.func.ty(v) != ty {
                return Err(inst.invalid("the operands differ in type"));
            }
            args.push(self.b.cast(CastOp::Bitcast, v, word));
        }
        if self.b.func.ty(ptr) == Ty::ptr(AddressSpace::Private) {
            let result = (op != AtomicOp::Store).then_some(word);
            let value = one_item_atomic(&mut self.b, op, ptr, &args[1..], result);
            return Ok(value.map(|v| self.b.cast(CastOp::Bitcast, v, ty)));
        }
        if op == AtomicOp::Store {
            self.b.intrinsic(Intrinsic::Atomic(op), args, None);
            return Ok(None);
        }
        let value = self.b.value(IrOp::Intrinsic(Intrinsic::Atomic(op)), args, word);
        Ok(Some(self.b.cast(CastOp::Bitcast, value, ty)))
    }

    /// Returns the operation of an atomic instruction, and its operands after the pointer.
    fn atomic_operands(&mut self, inst: &Inst<'_>) -> Result<(AtomicOp, Vec<Value>), Error> {
        let op = match inst.op {
            Op::AtomicLoad => return Ok((AtomicOp::Load, Vec::new())),
            Op::AtomicFlagTestAndSet => return Ok((AtomicOp::Xchg, vec![self.b.i32(1)])),
            Op::AtomicFlagClear => return Ok((AtomicOp::Store, vec![self.b.i32(0)])),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let (value, comparator) = (self.operand(inst, 4)?, self.operand(inst, 5)?);
                return Ok((AtomicOp::CmpXchg, vec![comparator, value]));
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let ty = self.result_type(inst)?;
                let one = self.b.bits(ty, 1);
                let op = if inst.op == Op::AtomicIIncrement {
                    AtomicOp::Add
                } else {
                    AtomicOp::Sub
                };
                return Ok((op, vec![one]));
            }
            Op::AtomicStore => AtomicOp::Store,
            Op::AtomicExchange => AtomicOp::Xchg,
            Op::AtomicIAdd => AtomicOp::Add,
            Op::AtomicISub => AtomicOp::Sub,
            Op::AtomicSMin => AtomicOp::SMin,
            Op::AtomicUMin => AtomicOp::UMin,
            Op::AtomicSMax => AtomicOp::SMax,
            Op::AtomicUMax => AtomicOp::UMax,
            Op::AtomicAnd => AtomicOp::And,
            Op::AtomicOr => AtomicOp::Or,
            Op::AtomicXor => AtomicOp::Xor,
            _ => return Err(inst.unsupported("the atomic operation is not implemented")),
        };
        Ok((op, vec![self.operand(inst, 3)?]))
    }

    pub(super) fn async_copy(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(6)?;
        if self.scope(inst, 0)? != Scope::Workgroup {
            return Err(inst.unsupported("copies of another scope than Workgroup are not implemented"));
        }
        let ids = [inst.arg(1)?, inst.arg(2)?];
        let mut types = Vec::new();
        for (&id, qualifier) in ids.iter().zip(["", "const "]) {
            let (space, pointee) = self.pointer(inst, id)?;
            // LLVM's code generator takes the address of an array for that of its first element.
            let known = &self.cx.source.types;
            let elem = known
                .value(known.first_element(pointee))
                .and_then(|t| CType::number(t, true));
            let ty = elem.and_then(|e| CType::pointer(&format!("{qualifier}{}", e.text), space));
            types.push(
                ty.ok_or_else(|| inst.unsupported("copies of elements of this type are not implemented"))?,
            );
        }
        let size = CType {
            text: "ulong".into(),
            ir: Ty::I64,
        };
        types.extend([size.clone(), size, CType::event()]);
        let mut values = Vec::new();
        for n in 1..6 {
            values.push(self.operand(inst, n)?);
        }
        // The number of elements and the stride have 32 bits with Physical32, and LLVM's code generator always gives the
        // stride as many.
        for value in &mut values[2..4] {
            if self.b.func.ty(*value) == Ty::I32 {
                *value = self.resize(*value, Ty::I64, false);
            }
        }
        for (value, ty) in values.iter().zip(&types) {
            if self.b.func.ty(*value) != ty.ir {
                return Err(inst.invalid("an operand is of a type that the operation does not take"));
            }
        }
        let body = "return async_work_group_strided_copy(a, b, c, d, e);";
        let value = self.call_library(body, Some(&CType::event()), &types, values);
        self.define_from(inst, value)
    }

    pub(super) fn wait_events(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(3)?;
        if self.scope(inst, 0)? != Scope::Workgroup {
            return Err(inst.unsupported("events of another scope than Workgroup are not implemented"));
        }
        if self.cx.checks_copies {
            let args = vec![self.operand(inst, 1)?, self.operand(inst, 2)?];
            self.b.intrinsic(Intrinsic::CopiesEnd, args, None);
        }
        // OpenCL C's wait_group_events is this barrier, too: the copies are done by all work-items.
        let flags = FenceFlags {
            local: true,
            global: true,
        };
        self.b.intrinsic(Intrinsic::Barrier(flags), vec![], None);
        Ok(())
    }
}

/// Returns the atomic operation on floats that an instruction is, if it is one.
fn float_operation(op: Op) -> Option<FloatAtomic> {
    Some(match op {
        Op::AtomicFAddEXT => FloatAtomic::Add,
        Op::AtomicFMinEXT => FloatAtomic::Min,
        Op::AtomicFMaxEXT => FloatAtomic::Max,
        _ => return None,
    })
}
