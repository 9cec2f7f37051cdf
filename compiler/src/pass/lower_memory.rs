//! Lowers memory and pointers, each address space by its address format (`lower_memory/format.rs`).
//!
//! Why: SPIR-V for Vulkan restricts how pointers are computed, stored and converted, so pointers become
//! integers. `docs/adr/0005-address-formats.md` has the reasons for the formats.
//! In:  `Inlined`, `KernelArgs`, `NoLongVectors`, `NoGeneric`. Best after promotion to SSA: private variables that are
//!      still in memory are the most expensive.
//! Out: `ExplicitMemory`: the only memory instructions are `Variable`, `LoadFrom`, `StoreTo`, `AtomicOn` and
//!      `MatrixOn`, and no other value is a pointer. `KernelAbi::local_fixed` and `Module::constant_data` are filled in.
//!
//! | space | a pointer is | memory is |
//! |---|---|---|
//! | global, constant | an I64 device address | `Storage::Physical` |
//! | local | an I32 byte offset | a `Storage::Shared` for each variable whose pointers mix with no others, else `Storage::Arena` |
//! | private | an I32 byte offset | a `Variable` for each object that does not escape, else one for the stack |
//! | push constants, arguments | an I32 byte offset | words |
//!
//! The table describes the physical ABI. In the descriptor ABI, pointers to buffers and local memory are
//! offsets into memory objects of the kernel: `lower_memory/objects.rs`.
//!
//! A pointer in memory always has 8 bytes. A local or private pointer is stored as an integer, its offset
//! plus a bias, so that no object is at NULL. Only conversions between the two forms add and subtract the
//! bias.

mod access;
mod atomic;
mod bulk;
mod classes;
mod constant;
mod element;
mod format;
mod index;
mod local;
mod matrix;
mod objects;
mod plan;

use self::access::{Array, Target};
use self::constant::Blob;
use self::format::{AddressFormat, word_storage};
use self::local::Arena;
use self::objects::{Objects, Several};
use self::plan::{Object, Plan};
use super::{Changed, Pass, PassCx, PassError};
use crate::diag::InternalError;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::inst::{BinOp, CastOp};
use crate::ir::module::object_pointer;
use crate::ir::rewrite::Rewriting;
use crate::ir::{
    Access, AddressSpace, Const, EntityRef, Func, Global, GlobalData, Inst, Map, MemoryObject, Module, Op,
    Region, Scalar, Storage, Ty, Value, ValueDef,
};
use crate::source::Span;
use crate::target::Target as DeviceTarget;
use std::collections::BTreeSet;

pub const PASS: Pass = Pass {
    name: "lower_memory",
    about: "Lowers pointers and memory accesses by the address format of their space.",
    run,
    requires: inv![Inlined, KernelArgs, NoLongVectors, NoGeneric],
    establishes: inv![ExplicitMemory],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut blob = Blob::default();
    let variables = module
        .globals
        .iter()
        .any(|(_, g)| g.space == AddressSpace::Global);
    if variables {
        blob.place(module).map_err(|_| too_large())?;
    }
    let slot = ConstantSlot {
        // After all other push constants, unless `lower_system_values` has reserved an offset.
        offset: module
            .system
            .constant_data
            .unwrap_or_else(|| push_end(module).next_multiple_of(8)),
    };
    let tables = constant::readers(module);
    for f in (0..module.funcs.len()).map(Func::new) {
        let kernel = module.kernels.iter().position(|kernel| kernel.func == f);
        if kernel.is_none() && !tables[f.index()] {
            continue;
        }
        let func = &mut module.funcs[f];
        let constants = constant::needed(func, &module.globals);
        let constant_base = kernel.is_none().then(|| func.add_param(Ty::I64));
        let objects = cx.target.abi.descriptor().map(|d| {
            let list = kernel.and_then(|k| module.abi.get(k)).map(|a| a.objects.clone());
            Objects::new(
                func,
                &module.globals,
                list.unwrap_or_default(),
                &constants,
                d,
                cx.target,
            )
        });
        let plan = Plan::new(func, &module.globals, cx.target, objects.is_some());
        if let Some(abi) = kernel.and_then(|k| module.abi.get_mut(k)) {
            abi.objects = match &objects {
                Some(objects) => objects.list.clone(),
                None => {
                    let own = plan.local.own.iter();
                    own.map(|o| MemoryObject::Local(o.global)).collect()
                }
            };
            abi.local_fixed = plan.local.bytes;
            abi.variables = variables && constant::may_access_variables(func, &module.globals);
        }
        let mut lower = Lower {
            spaces: func.values.iter().map(|(_, v)| v.ty.space()).collect(),
            map: vec![None; func.values.len()],
            variables: Vec::new(),
            stack: None,
            constant_base,
            constants,
            tables: &tables,
            objects,
            several: Vec::new(),
            prologue: func.new_region(&[]),
            b: Builder::at_end(func, crate::ir::Region(0)),
            plan,
            globals: &module.globals,
            blob: &mut blob,
            slot,
            target: cx.target,
        };
        lower.function()?;
    }
    let own = cx
        .target
        .abi
        .descriptor()
        .map(|_| object_pointer(MemoryObject::CONSTANTS));
    let data = blob.finish(&module.globals, own).map_err(|_| too_large())?;
    if data.bytes.is_empty() && data.size == 0 {
        module.system.constant_data = None;
        module.slots.constants = None;
    } else if cx.target.abi.descriptor().is_some() {
        // The data are in a storage buffer and need no push constant.
    } else {
        module.system.constant_data = Some(slot.offset);
        module.system.size = module.system.size.max(slot.offset + 8);
        if module.system.size > cx.target.limits.push_constants {
            return Err(
                InternalError::new("lower_memory", "no push constants left for the constant data").into(),
            );
        }
    }
    module.constant_data = data;
    Ok(Changed::Yes)
}

/// Returns the error for constant data that exceed their limit.
fn too_large() -> PassError {
    PassError::TooLarge {
        what: "the program's constant data".into(),
        limit: u64::from(u32::MAX >> 4),
        span: Span::NONE,
    }
}

/// Returns the end of all push constants in bytes.
fn push_end(module: &Module) -> u32 {
    let args = module.abi.iter().flat_map(|a| &a.args).map(|a| a.push_end());
    args.max().unwrap_or(0).max(module.system.size)
}

/// The push constant that holds the address of the constant data.
#[derive(Copy, Clone)]
struct ConstantSlot {
    offset: u32,
}

/// The state of the lowering of one function.
struct Lower<'f> {
    b: Builder<'f>,
    plan: Plan,
    /// The memory objects; only under the descriptor ABI.
    objects: Option<Objects>,
    /// The pointers into several objects to which [`Target::Several`] refers by index.
    several: Vec<Several>,
    globals: &'f Map<Global, GlobalData>,
    blob: &'f mut Blob,
    slot: ConstantSlot,
    target: &'f DeviceTarget,
    /// For each value, its address space if it was a pointer.
    spaces: Vec<Option<AddressSpace>>,
    /// For each value, the value that replaces it, if any.
    map: Vec<Option<Value>>,
    /// The results of the `Variable` instructions.
    variables: Vec<Option<Value>>,
    /// The result of the `Variable` instruction of the stack.
    stack: Option<Value>,
    /// The address of the constant data: a parameter, or what a kernel has loaded.
    constant_base: Option<Value>,
    /// For each function, whether it is one that takes the address of the constant data.
    tables: &'f [bool],
    /// The `GlobalAddr` instructions of constant variables whose address is really needed.
    constants: BTreeSet<Inst>,
    /// Instructions that are inserted at the start of the function's body.
    prologue: Region,
}

impl Lower<'_> {
    fn function(&mut self) -> Result<(), PassError> {
        self.retype();
        self.variables = vec![None; self.plan.variables.len()];
        let body = self.b.func.body;
        let mut rewriting = Rewriting::new(&mut self.b);
        while let Some(inst) = rewriting.next(&mut self.b) {
            self.b.span = self.b.func.insts[inst].span;
            self.inst(inst)?;
        }
        let mut insts = std::mem::take(&mut self.b.func.regions[self.prologue].insts);
        let rest = std::mem::take(&mut self.b.func.regions[body].insts);
        insts.extend(rest);
        self.b.func.regions[body].insts = insts;
        Ok(())
    }

    /// Changes the types of pointers that stay in place, region arguments and the results of instructions
    /// that are kept, to integers. Instructions that are replaced keep their old results, so that offsets can
    /// still be read from chains of `ptr_add`.
    fn retype(&mut self) {
        for n in 0..self.spaces.len() {
            let Some(space) = self.spaces[n] else {
                continue;
            };
            let v = Value::new(n);
            let stays = match self.b.func.values[v].def {
                ValueDef::Arg(..) => true,
                ValueDef::Inst(inst, _) => {
                    let op = &self.b.func.insts[inst].op;
                    op.is_structured() || *op == Op::Select
                }
                ValueDef::Param(_) | ValueDef::Const(_) => false,
            };
            if stays {
                self.b.func.values[v].ty = match (self.format(space), &self.objects) {
                    (AddressFormat::Object, Some(objects)) => objects.pointer_type(v),
                    (format, _) => format.value_type(),
                };
            }
        }
    }

    /// Returns the address format of an address space under the target's ABI.
    fn format(&self, space: AddressSpace) -> AddressFormat {
        AddressFormat::of(space, self.objects.is_some())
    }

    /// Returns whether a value was a pointer into a memory object (descriptor ABI).
    fn is_object_pointer(&self, v: Value) -> bool {
        self.objects.is_some() && self.space(v).is_some_and(objects::is_object_space)
    }

    /// Returns an error if memory may not contain pointers under this ABI. It may if it lives no longer than
    /// the kernel, or is the program's own constant data.
    fn check_pointer_in(&self, memory: Value, what: &str) -> Result<(), PassError> {
        let is_own = |o: &Objects| {
            let of = o.of(memory);
            of.iter().all(|&n| o.list[n as usize] == MemoryObject::Constants)
        };
        match self.space(memory) {
            Some(AddressSpace::Constant) if self.objects.as_ref().is_some_and(is_own) => Ok(()),
            Some(AddressSpace::Global | AddressSpace::Constant) => {
                Err(self.not_in_abi(what, "pointers of this ABI mean something within one kernel only"))
            }
            Some(
                AddressSpace::Local
                | AddressSpace::Private
                | AddressSpace::Push
                | AddressSpace::Args
                | AddressSpace::Generic,
            )
            | None => Ok(()),
        }
    }

    /// Returns the address space of a value that was a pointer.
    fn space(&self, v: Value) -> Option<AddressSpace> {
        match self.spaces.get(v.index()) {
            Some(space) => *space,
            None => None,
        }
    }

    /// Returns the value that has replaced a value, or the lowered form of a constant.
    fn mapped(&mut self, v: Value) -> Value {
        if let Some(Some(new)) = self.map.get(v.index()) {
            return *new;
        }
        let (Some(space), Some(c)) = (self.space(v), self.b.func.as_const(v)) else {
            return v;
        };
        let format = self.format(space);
        let bits = match c {
            Const::Undef => 0,
            Const::Bits(lanes) => format.value_of_bits(lanes[0]),
        };
        self.b.bits(format.value_type(), bits)
    }

    /// Records that the value `new` replaces the result of an instruction.
    fn replace(&mut self, inst: Inst, new: Value) {
        let old = self.b.func.insts[inst].results[0];
        self.map[old.index()] = Some(new);
    }

    /// Lowers one instruction.
    fn inst(&mut self, inst: Inst) -> Result<(), PassError> {
        let data = &self.b.func.insts[inst];
        let args = data.args.clone();
        match data.op.clone() {
            Op::Alloca { .. } => {
                let offset = self.plan.allocas.get(&inst).copied().unwrap_or(0);
                let new = self.b.i32(offset as i32);
                self.replace(inst, new);
            }
            Op::GlobalAddr(g) => {
                let new = self.global_address(inst, g)?;
                self.replace(inst, new);
            }
            Op::PtrAdd => {
                let new = self.ptr_add(args[0], args[1]);
                self.replace(inst, new);
            }
            Op::Load(access) => {
                let result = data.results[0];
                let new = self.load(args[0], result, access)?;
                self.replace(inst, new);
            }
            Op::Store(access) => {
                if self.is_object_pointer(args[1]) && self.is_object_pointer(args[0]) {
                    self.check_pointer_in(args[0], "a pointer stored in a buffer")?;
                }
                let value = self.memory_form(args[1]);
                let target = self.target(args[0])?;
                self.check_width(target, self.b.func.ty(value))?;
                self.store_to(target, 0, value, access);
            }
            Op::MemCpy { size, dst, src } => {
                let to = self.target(args[0])?;
                match constant::fold_copy(self.b.func, self.globals, args[1], size) {
                    Some(bytes) => self.fill(to, dst, bytes),
                    None => {
                        let from = self.target(args[1])?;
                        self.copy(to, dst, from, src, size);
                    }
                }
            }
            Op::MemZero { size, dst } => {
                let to = self.target(args[0])?;
                self.zero(to, dst, size);
            }
            Op::Cast(CastOp::PtrToInt) => {
                let new = self.memory_form(args[0]);
                self.replace(inst, new);
            }
            Op::Cast(CastOp::IntToPtr) => {
                let result = data.results[0];
                let objects = self.objects.as_ref();
                if self.is_object_pointer(result) && objects.is_some_and(|o| o.of(result).is_empty()) {
                    let why = "buffers have no addresses";
                    return Err(self.not_in_abi("a pointer made of a number that was none", why));
                }
                let many = objects.is_some_and(|o| o.is_many(result));
                let space = self.space(result).ok_or_else(|| bug("cast to no pointer"))?;
                let v = self.mapped(args[0]);
                let new = self.value_form(v, space, many);
                self.replace(inst, new);
            }
            Op::Cast(CastOp::PtrCast) => {
                let new = self.mapped(args[0]);
                self.replace(inst, new);
            }
            Op::Intrinsic(Intrinsic::Atomic(op)) => self.atomic(inst, op, &args)?,
            Op::Intrinsic(Intrinsic::Matrix(op)) if op.accesses_memory() => self.matrix(inst, op, &args)?,
            Op::Intrinsic(Intrinsic::Prefetch) => {}
            Op::Intrinsic(Intrinsic::Printf) => {
                return Err(bug("lower_printf has not run").into());
            }
            Op::CallPure(callee) if self.tables[callee.index()] => {
                let base = self.constant_base();
                self.keep(inst)?;
                self.b.func.insts[inst].args.push(base);
            }
            _ => self.keep(inst)?,
        }
        Ok(())
    }

    /// Keeps an instruction, with new operands. [`Self::function`] lowers the instructions inside of it.
    fn keep(&mut self, inst: Inst) -> Result<(), PassError> {
        let mut args = self.b.func.insts[inst].args.clone();
        for (n, a) in args.iter_mut().enumerate() {
            *a = self.flowing(inst, n, *a);
        }
        self.b.func.insts[inst].args = args;
        self.b.push(inst);
        Ok(())
    }

    /// Lowers a `ptr_add` and returns the new pointer.
    fn ptr_add(&mut self, pointer: Value, offset: Value) -> Value {
        let format = self.format(self.space(pointer).unwrap_or(AddressSpace::Global));
        let base = self.mapped(pointer);
        let wide = self.b.func.ty(base) == Ty::I64;
        match format {
            AddressFormat::Physical64 | AddressFormat::Object if wide => {
                let offset = self.mapped(offset);
                let wide = match self.b.func.ty(offset) {
                    Ty::I64 => offset,
                    _ => self.b.cast(CastOp::SExt, offset, Ty::I64),
                };
                self.b.binary(BinOp::IAdd, base, wide)
            }
            AddressFormat::Physical64
            | AddressFormat::Object
            | AddressFormat::Workgroup32
            | AddressFormat::Private32
            | AddressFormat::Words32 => {
                let offset = self.narrow(offset, 0);
                match self.b.func.as_bits(offset) {
                    Some(bits) => self.plus(base, bits as u32),
                    None => match self.b.func.as_bits(base) {
                        Some(bits) => self.plus(offset, bits as u32),
                        None => self.b.binary(BinOp::IAdd, base, offset),
                    },
                }
            }
        }
    }

    /// Returns the address of a global variable.
    fn global_address(&mut self, inst: Inst, g: Global) -> Result<Value, PassError> {
        if self.objects.is_some() {
            return self.object_address(g);
        }
        match self.globals[g].space {
            AddressSpace::Local => {
                // A variable that is not in the arena begins at offset 0.
                let offset = self.plan.local.offsets.get(&g).copied().unwrap_or(0);
                Ok(self.b.i32(offset as i32))
            }
            AddressSpace::Constant if !self.constants.contains(&inst) => Ok(self.b.undef(Ty::I64)),
            AddressSpace::Constant | AddressSpace::Global => self.constant_address(g),
            AddressSpace::Private | AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => {
                Err(bug("a global variable in a space that has none").into())
            }
        }
    }

    /// Returns the address of a variable in constant or global memory: that of the constant data, loaded once, plus
    /// the variable's offset.
    fn constant_address(&mut self, g: Global) -> Result<Value, PassError> {
        let offset = self.blob.offset(g, self.globals).map_err(|_| too_large())?;
        let base = self.constant_base();
        if offset == 0 {
            return Ok(base);
        }
        let offset = self.b.i64(i64::from(offset));
        Ok(self.b.binary(BinOp::IAdd, base, offset))
    }

    /// Returns the address of the constant data.
    fn constant_base(&mut self) -> Value {
        if let Some(base) = self.constant_base {
            return base;
        }
        self.b.enter(self.prologue);
        let pointer = self.b.i32(self.slot.offset as i32);
        let words = Array {
            storage: Storage::PushWord,
            variable: None,
            elem: Ty::I32,
            pointer,
        };
        let access = Access {
            align: 8,
            volatile: false,
        };
        let base = self.load_from(Target::Array(words), 0, Ty::I64, access);
        self.b.leave();
        *self.constant_base.insert(base)
    }

    /// Returns the memory that a pointer points to.
    fn target(&mut self, pointer: Value) -> Result<Target, PassError> {
        let space = self
            .space(pointer)
            .ok_or_else(|| bug("memory access by what is no pointer"))?;
        let array = |storage, variable, elem| {
            Target::Array(Array {
                storage,
                variable,
                elem,
                pointer,
            })
        };
        Ok(match self.format(space) {
            AddressFormat::Object => return self.object_target(pointer),
            AddressFormat::Physical64 => Target::Physical(self.mapped(pointer)),
            AddressFormat::Workgroup32 => match (self.plan.local.own_of(pointer), &self.plan.local.arena) {
                (Some(n), _) => {
                    let elem = self.plan.local.own[n].elem;
                    array(Storage::Shared(n as u32, elem), None, elem)
                }
                (None, &Arena::Array(elem)) => array(Storage::Arena(elem), None, elem),
                // `suited` chooses the array for an access.
                (None, Arena::Views(_)) => array(Storage::Arena(Ty::I32), None, Ty::I32),
            },
            AddressFormat::Private32 => {
                let object = self.plan.object(pointer);
                let (variable, elem) = self.variable(object);
                array(Storage::Variable, Some(variable), elem)
            }
            AddressFormat::Words32 => {
                let storage = word_storage(space).ok_or_else(|| bug("no words in this space"))?;
                array(storage, None, Ty::I32)
            }
        })
    }

    /// Returns the variable of an object, creating it at the first use.
    fn variable(&mut self, object: Object) -> (Value, Ty) {
        let (known, plan) = match object {
            Object::Stack => (self.stack, &self.plan.stack),
            Object::Variable(n) => (self.variables[n], &self.plan.variables[n]),
        };
        let elem = plan.elem;
        if let Some(v) = known {
            return (v, elem);
        }
        let count = plan.bytes.div_ceil(elem.bytes()).max(1);
        self.b.enter(self.prologue);
        let op = Op::Variable { elem, count };
        let v = self.b.value(op, vec![], Ty::ptr(AddressSpace::Private));
        self.b.leave();
        match object {
            Object::Stack => self.stack = Some(v),
            Object::Variable(n) => self.variables[n] = Some(v),
        }
        (v, elem)
    }

    /// Lowers a load and returns the new value. A load of a known constant becomes the constant.
    fn load(&mut self, pointer: Value, result: Value, access: Access) -> Result<Value, PassError> {
        let ty = match self.space(result) {
            Some(space) => Ty::ptr(space),
            None => self.b.func.ty(result),
        };
        if let Some(c) = constant::fold(self.b.func, self.globals, pointer, ty) {
            return Ok(self.b.func.constant(ty, c));
        }
        if ty.space().is_some_and(objects::is_object_space) && self.is_object_pointer(pointer) {
            self.check_pointer_in(pointer, "a pointer read from a buffer")?;
        }
        let target = self.target(pointer)?;
        let Some(space) = ty.space() else {
            self.check_width(target, ty)?;
            return Ok(self.load_from(target, 0, ty, access));
        };
        let bits = self.load_from(target, 0, Ty::I64, access);
        let many = self.objects.as_ref().is_some_and(|o| o.is_many(result));
        Ok(self.value_form(bits, space, many))
    }

    /// Returns a value in the form in which memory holds it: a pointer as an I64.
    fn memory_form(&mut self, v: Value) -> Value {
        let Some(space) = self.space(v) else {
            return self.mapped(v);
        };
        let format = self.format(space);
        if format == AddressFormat::Object {
            return self.tagged(v);
        }
        let value = self.mapped(v);
        match format {
            AddressFormat::Physical64 | AddressFormat::Object => value,
            AddressFormat::Workgroup32 | AddressFormat::Private32 | AddressFormat::Words32 => {
                let biased = self.plus(value, format.bias());
                self.b.cast(CastOp::ZExt, biased, Ty::I64)
            }
        }
    }

    /// Returns the pointer that memory holds as the I64 `bits`. `many`: the pointer may point into several
    /// objects.
    fn value_form(&mut self, bits: Value, space: AddressSpace, many: bool) -> Value {
        let format = self.format(space);
        match format {
            AddressFormat::Physical64 => bits,
            AddressFormat::Object if many => bits,
            AddressFormat::Object
            | AddressFormat::Workgroup32
            | AddressFormat::Private32
            | AddressFormat::Words32 => {
                let low = self.b.cast(CastOp::Trunc, bits, Ty::I32);
                self.plus(low, format.bias().wrapping_neg())
            }
        }
    }

    /// Returns an error if an access to a buffer is so narrow that it needs a feature that the target lacks.
    fn check_width(&self, target: Target, ty: Ty) -> Result<(), PassError> {
        let features = &self.target.features;
        let (missing, feature, needs) = match (target, ty.scalar) {
            (Target::Physical(_), Scalar::I8) => (
                !features.storage8,
                "8-bit buffer access",
                "storageBuffer8BitAccess",
            ),
            (Target::Physical(_), Scalar::I16 | Scalar::F16) => (
                !features.storage16,
                "16-bit buffer access",
                "storageBuffer16BitAccess",
            ),
            _ => (false, "", ""),
        };
        if missing {
            return Err(PassError::Unsupported {
                feature: feature.into(),
                span: self.b.span,
                needs: needs.into(),
            });
        }
        Ok(())
    }
}

/// Returns the error for a module that does not fulfil what the pass requires.
#[track_caller]
fn bug(message: &str) -> InternalError {
    InternalError::new("lower_memory", message)
}
