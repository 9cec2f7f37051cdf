//! Variables, loads, stores, copies and address arithmetic.

use super::func::{FuncLowering, Val};
use crate::intrinsic::Intrinsic;
use crate::ir::{Access, AddressSpace, BinOp, CastOp, CmpOp, Op as IrOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::consts::Constant;
use crate::spirv_in::types::{Layout, Part, SMALL_POINTERS, Type};
use crate::spirv_in::words::Inst;
use rspirv::spirv::{BuiltIn, Decoration, MemoryAccess, Op, StorageClass};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn variable(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let types = &self.cx.source.types;
        let Some(Type::Pointer(StorageClass::Function, pointee)) = types.get(inst.ty) else {
            return Err(inst.invalid("its type is no pointer to Function"));
        };
        let pointee = *pointee;
        if inst.arg(0)? != StorageClass::Function as u32 {
            return Err(inst.invalid("its storage class is not Function"));
        }
        if matches!(
            types.get(pointee),
            Some(Type::Image { .. } | Type::Sampler | Type::SampledImage(_))
        ) {
            self.handles.insert(inst.result, None);
            return Ok(());
        }
        let mut layout = types.layout_of(inst, pointee)?;
        layout.align = self.cx.alignment(inst, layout.align)?;
        let memory = self.alloca(layout);
        self.everywhere.insert(inst.result, Val::Value(memory));
        if let Some(&init) = inst.args.get(1) {
            let access = Access {
                align: layout.align,
                volatile: false,
            };
            self.store_to(inst, memory, access, pointee, init)?;
        }
        Ok(())
    }

    /// Returns what the memory operands from number `n` on say about an access, and the number of the operand after them.
    pub(super) fn access(&self, inst: &Inst<'_>, n: usize, natural: u32) -> Result<(Access, usize), Error> {
        let mut access = Access {
            align: natural.max(1),
            volatile: false,
        };
        let Some(&mask) = inst.args.get(n) else {
            return Ok((access, n));
        };
        let Some(mask) = MemoryAccess::from_bits(mask) else {
            return Err(inst.unsupported(format!("the memory operands {mask:#x} are unknown")));
        };
        access.volatile = mask.contains(MemoryAccess::VOLATILE);
        let mut next = n + 1;
        if mask.contains(MemoryAccess::ALIGNED) {
            let align = inst.arg(next)?;
            if !align.is_power_of_two() {
                return Err(inst.invalid(format!("the alignment {align} is no power of two")));
            }
            access.align = align;
            next += 1;
        }
        let rest =
            mask.difference(MemoryAccess::VOLATILE | MemoryAccess::ALIGNED | MemoryAccess::NONTEMPORAL);
        let hints = MemoryAccess::ALIAS_SCOPE_INTEL_MASK | MemoryAccess::NO_ALIAS_INTEL_MASK;
        if !rest.difference(hints).is_empty() {
            return Err(inst.unsupported(format!("the memory operands {rest:?} are not implemented")));
        }
        next += rest.bits().count_ones() as usize;
        Ok((access, next))
    }

    pub(super) fn load(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let id = inst.arg(0)?;
        if let Some(&handle) = self.handles.get(&id) {
            return self.load_handle(inst, handle);
        }
        if let Some(variable) = self.cx.source.variables.get(&id) {
            match variable.class {
                StorageClass::Input => {
                    let value = self.built_in_value(inst, id)?;
                    return self.define(inst, value);
                }
                StorageClass::UniformConstant
                    if self.cx.source.types.get(variable.pointee) == Some(&Type::Sampler) =>
                {
                    let sampler = self.value(inst, variable.init)?;
                    return self.define(inst, sampler);
                }
                _ => {}
            }
        }
        let (_, pointee) = self.pointer(inst, id)?;
        let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
        self.same_contents(inst, pointee, inst.ty)?;
        let ptr = self.value(inst, id)?;
        let (access, end) = self.access(inst, 1, layout.align)?;
        inst.exactly(end)?;
        if let Some(&component) = self.components.get(&id) {
            let value = self.load_component(inst, ptr, component, access.volatile)?;
            return self.define(inst, value);
        }
        match self.cx.source.types.is_aggregate(inst.ty) {
            false => {
                let ty = self.result_type(inst)?;
                let value = self.read(ptr, ty, access);
                self.define(inst, value)
            }
            true => {
                let memory = self.new_memory(inst)?;
                self.copy_as((memory, layout.access()), (ptr, access), layout.size);
                Ok(())
            }
        }
    }

    /// Checks that the type of an accessed value is that of the pointee.
    fn same_contents(&self, inst: &Inst<'_>, pointee: u32, accessed: u32) -> Result<(), Error> {
        let types = &self.cx.source.types;
        if pointee == accessed
            || types.value(pointee).is_some() && types.value(pointee) == types.value(accessed)
        {
            Ok(())
        } else {
            Err(inst.invalid("the type of the value is not that of the pointee"))
        }
    }

    fn load_handle(&mut self, inst: &Inst<'_>, handle: Option<Val>) -> Result<(), Error> {
        match handle {
            Some(Val::Value(value)) => self.define(inst, value),
            Some(val) => {
                self.everywhere.insert(inst.result, val);
                Ok(())
            }
            None => Err(inst.invalid("the variable has no value yet")),
        }
    }

    pub(super) fn store(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (id, object) = (inst.arg(0)?, inst.arg(1)?);
        if let Some(&handle) = self.handles.get(&id) {
            let val = self.val(inst, object)?;
            if handle.is_some_and(|old| old != val) {
                return Err(inst.unsupported("a variable that holds one image or sampler after another"));
            }
            self.handles.insert(id, Some(val));
            return Ok(());
        }
        let (space, pointee) = self.pointer(inst, id)?;
        if space == AddressSpace::Constant {
            return Err(inst.invalid("a store to constant memory"));
        }
        let layout = self.cx.source.types.layout_of(inst, pointee)?;
        let (access, end) = self.access(inst, 2, layout.align)?;
        inst.exactly(end)?;
        let ptr = self.value(inst, id)?;
        if let Some(&component) = self.components.get(&id) {
            return self.store_component(inst, ptr, component, access.volatile);
        }
        self.store_to(inst, ptr, access, pointee, object)
    }

    /// Stores the value of an id.
    fn store_to(
        &mut self,
        inst: &Inst<'_>,
        ptr: Value,
        access: Access,
        pointee: u32,
        object: u32,
    ) -> Result<(), Error> {
        let layout = self.cx.source.types.layout_of(inst, pointee)?;
        if self.cx.source.types.is_aggregate(pointee) {
            if self.type_of(inst, object)? != pointee {
                return Err(inst.invalid("the value is not of the type of the pointee"));
            }
            match self.cx.source.consts.get(object) {
                Some(Constant::Null) if layout.size > 0 => {
                    self.b.mem_zero(ptr, access, layout.size);
                    return Ok(());
                }
                Some(Constant::Undef) => return Ok(()),
                _ => {}
            }
        }
        match self.operand_of(inst, object, pointee)? {
            Val::Value(value) => self.write(ptr, value, access),
            Val::Memory(from) => self.copy_as((ptr, access), (from, layout.access()), layout.size),
            Val::Sampled(..) => return Err(inst.invalid("an image with a sampler cannot be in memory")),
        }
        Ok(())
    }

    /// Sets a structure or array to zero.
    pub(super) fn zero(&mut self, memory: Value, layout: Layout) {
        if layout.size > 0 {
            self.b.mem_zero(memory, layout.access(), layout.size);
        }
    }

    pub(super) fn copy_memory(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (_, pointee) = self.pointer(inst, inst.arg(0)?)?;
        let (_, from) = self.pointer(inst, inst.arg(1)?)?;
        self.same_contents(inst, pointee, from)?;
        let layout = self.cx.source.types.layout_of(inst, pointee)?;
        let accesses = self.accesses(inst, 2, [layout.align; 2])?;
        self.copy_bytes(inst, layout.size, accesses)
    }

    pub(super) fn copy_memory_sized(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let natural = |f: &Self, n| -> Result<u32, Error> {
            let (_, pointee) = f.pointer(inst, inst.arg(n)?)?;
            Ok(f.cx.source.types.layout(pointee).map_or(1, |l| l.align))
        };
        let natural = [natural(self, 0)?, natural(self, 1)?];
        self.sizes_are_known(inst)?;
        let accesses = self.accesses(inst, 3, natural)?;
        let size = inst.arg(2)?;
        match self.cx.source.consts.integer(size).map(u32::try_from) {
            Some(Ok(size)) => self.copy_bytes(inst, size, accesses),
            Some(Err(_)) => Err(inst.unsupported("a copy of 4 GiB or more")),
            None => self.copy_loop(inst, size, accesses),
        }
    }

    /// Refuses, in a module for 32-bit addresses, an operand that points to a pointer: the device's pointers have 64 bits.
    pub(super) fn sizes_are_known(&self, inst: &Inst<'_>) -> Result<(), Error> {
        let types = &self.cx.source.types;
        for &id in &inst.args[..inst.args.len().min(2)] {
            let ty = match types.get(id) {
                Some(_) => id,
                None => self.type_of(inst, id)?,
            };
            if types.small_pointers && types.points_to_pointer(ty) {
                return Err(inst.unsupported(SMALL_POINTERS));
            }
        }
        Ok(())
    }

    /// Returns what the memory operands from number `n` on say about the target and the source of a copy. A second set of
    /// operands is that of the source; one set is that of both.
    fn accesses(&self, inst: &Inst<'_>, n: usize, natural: [u32; 2]) -> Result<[Access; 2], Error> {
        let (target, next) = self.access(inst, n, natural[0])?;
        let second = if inst.args.len() > next { next } else { n };
        let (source, end) = self.access(inst, second, natural[1])?;
        inst.exactly(end)?;
        Ok([target, source])
    }

    /// Copies a constant number of bytes from operand 1 to operand 0.
    fn copy_bytes(&mut self, inst: &Inst<'_>, size: u32, [dst, src]: [Access; 2]) -> Result<(), Error> {
        let (space, _) = self.pointer(inst, inst.arg(0)?)?;
        if space == AddressSpace::Constant {
            return Err(inst.invalid("a store to constant memory"));
        }
        let (to, from) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        self.copy_as((to, dst), (from, src), size);
        Ok(())
    }

    /// Copies a number of bytes that is only known when the kernel runs.
    fn copy_loop(&mut self, inst: &Inst<'_>, size: u32, accesses: [Access; 2]) -> Result<(), Error> {
        let (to, from) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let count = self.value(inst, size)?;
        let ty = self.b.func.ty(count);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("the size is no integer"));
        }
        let (to_space, _) = self.pointer(inst, inst.arg(0)?)?;
        if to_space == AddressSpace::Constant {
            return Err(inst.invalid("a store to constant memory"));
        }
        let count = self.resize(count, Ty::I64, false);
        let [dst, src] = accesses.map(|access| Access { align: 1, ..access });
        let zero = self.b.i64(0);
        let (all, body) = self.b.loop_(vec![zero], &[]);
        self.b.enter(body);
        let n = self.b.func.regions[body].args[0];
        let is_left = self.b.compare(CmpOp::ULt, n, count);
        let (test, then, otherwise) = self.b.if_(is_left, &[]);
        self.b.enter(then);
        self.b.exit(test, Vec::new());
        self.b.leave();
        self.b.enter(otherwise);
        self.b.exit(all, Vec::new());
        self.b.leave();
        let source = self.b.ptr_add(from, n);
        let value = self.b.load(source, Ty::I8, src);
        let place = self.b.ptr_add(to, n);
        self.b.store(place, value, dst);
        let one = self.b.i64(1);
        let next = self.b.binary(BinOp::IAdd, n, one);
        self.b.repeat(all, vec![next]);
        self.b.leave();
        Ok(())
    }

    pub(super) fn access_chain(&mut self, inst: &Inst<'_>, has_element: bool) -> Result<(), Error> {
        let base = inst.arg(0)?;
        let (space, mut ty) = self.pointer(inst, base)?;
        let mut ptr = self.value(inst, base)?;
        let mut offset = 0u64;
        let mut lane = None;
        let mut component = None;
        for (n, &id) in inst.args_from(1)?.iter().enumerate() {
            if lane.is_some() {
                return Err(inst.invalid("an index into a scalar"));
            }
            let types = &self.cx.source.types;
            let constant = self.cx.source.consts.index(types, id);
            if !(n == 0 && has_element)
                && let Some(matrix) = types.value(ty).and_then(|t| t.scalar.matrix())
            {
                component = Some((matrix, id));
                lane = Some(Ty::of(matrix.scalar()));
                continue;
            }
            let element = if n == 0 && has_element {
                Some((Part::Type(ty), types.layout_of(inst, ty)?.size))
            } else {
                match types.of(inst, ty)? {
                    Type::Array(elem, _) => Some((Part::Type(*elem), types.layout_of(inst, *elem)?.size)),
                    Type::Plain(t) if t.is_vector() => {
                        let scalar = Ty::of(t.scalar);
                        Some((Part::Lane(scalar), scalar.scalar.bytes().max(1)))
                    }
                    _ => None,
                }
            };
            let part = match (element, constant) {
                (Some((part, size)), Some(index)) => {
                    offset = offset.wrapping_add((index as u64).wrapping_mul(u64::from(size)));
                    part
                }
                (Some((part, size)), None) => {
                    ptr = self.add_index(inst, ptr, id, size)?;
                    part
                }
                (None, Some(index)) => {
                    let (part, at) = types.component(inst, ty, index as u64)?;
                    offset = offset.wrapping_add(at);
                    part
                }
                (None, None) => return Err(inst.invalid("the index of a member is no constant")),
            };
            match part {
                Part::Type(t) => ty = t,
                Part::Lane(t) => lane = Some(t),
            }
        }
        self.check_chain(inst, space, ty, lane)?;
        if let Some(component) = component {
            self.components.insert(inst.result, component);
        }
        let value = self.b.ptr_offset(ptr, offset as i64);
        self.define(inst, value)
    }

    /// Checks that the result type of an access chain points to what the chain leads to.
    fn check_chain(
        &self,
        inst: &Inst<'_>,
        space: AddressSpace,
        ty: u32,
        lane: Option<Ty>,
    ) -> Result<(), Error> {
        let types = &self.cx.source.types;
        let Some(Type::Pointer(class, pointee)) = types.get(inst.ty) else {
            return Err(inst.invalid("the result type is no pointer"));
        };
        let fits = match lane {
            Some(lane) => types.value(*pointee) == Some(lane),
            None => *pointee == ty || types.value(ty).is_some() && types.value(*pointee) == types.value(ty),
        };
        if fits && crate::spirv_in::types::space(*class) == Some(space) {
            Ok(())
        } else {
            Err(inst.invalid("the result type does not point to what the indices lead to"))
        }
    }

    /// Adds an index times a size to a pointer. Indices are signed.
    fn add_index(&mut self, inst: &Inst<'_>, ptr: Value, id: u32, size: u32) -> Result<Value, Error> {
        let index = self.value(inst, id)?;
        let ty = self.b.func.ty(index);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("an index is no integer"));
        }
        Ok(self.add_offset(ptr, index, size))
    }

    /// Adds a signed integer times a size to a pointer.
    pub(super) fn add_offset(&mut self, ptr: Value, index: Value, size: u32) -> Value {
        let index = self.resize(index, Ty::I64, true);
        let bytes = match size {
            1 => index,
            _ => {
                let size = self.b.i64(i64::from(size));
                self.b.binary(BinOp::IMul, index, size)
            }
        };
        self.b.ptr_add(ptr, bytes)
    }

    /// Returns the number of elements between two pointers.
    pub(super) fn pointer_difference(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let (_, pointee) = self.pointer(inst, inst.arg(0)?)?;
        let size = i64::from(self.cx.source.types.layout_of(inst, pointee)?.size.max(1));
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        if self.b.func.ty(a) != self.b.func.ty(b) {
            return Err(inst.invalid("the operands differ in type"));
        }
        let (a, b) = (
            self.b.cast(CastOp::PtrToInt, a, Ty::I64),
            self.b.cast(CastOp::PtrToInt, b, Ty::I64),
        );
        let bytes = self.b.binary(BinOp::ISub, a, b);
        let size = self.b.i64(size);
        let count = self.b.binary(BinOp::SDiv, bytes, size);
        let to = self.result_type(inst)?;
        if to.is_vector() || !to.scalar.is_int() {
            return Err(inst.invalid("the result type is no integer"));
        }
        let value = self.resize(count, to, true);
        self.define(inst, value)
    }

    pub(super) fn size_of(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        // SPIRV-LLVM-Translator takes the type of a pointer, too.
        let pointee = match self.cx.source.types.get(inst.arg(0)?) {
            Some(Type::Pointer(_, pointee)) => *pointee,
            _ => self.pointer(inst, inst.arg(0)?)?.1,
        };
        self.sizes_are_known(inst)?;
        let size = self.cx.source.types.layout_of(inst, pointee)?.size;
        let value = self.b.i32(size as i32);
        self.define(inst, value)
    }

    /// Returns memory that holds the value of a built-in variable, for uses other than loads.
    pub(super) fn built_in_address(&mut self, inst: &Inst<'_>, variable: u32) -> Result<Value, Error> {
        let source = self.cx.source;
        let found = source
            .variables
            .get(&variable)
            .filter(|v| v.class == StorageClass::Input);
        let Some(found) = found else {
            return Err(inst.unsupported(format!("the variable %{variable} is not implemented here")));
        };
        let layout = source.types.layout_of(&found.inst, found.pointee)?;
        let value = self.built_in_value(inst, variable)?;
        let memory = self.alloca(layout);
        let access = Access {
            align: layout.align,
            volatile: false,
        };
        self.write(memory, value, access);
        Ok(memory)
    }

    /// Returns the variable's built-in value of SPIR-V.
    fn built_in(&self, variable: u32) -> Option<BuiltIn> {
        let decoration = self.cx.source.decorated(variable, Decoration::BuiltIn)?;
        BuiltIn::from_u32(*decoration.operands.first()?)
    }

    /// Returns component `n`, an I32, of a loaded built-in vector, by OpenCL C's function of a dimension: SPIRV-LLVM-Translator
    /// turns the argument of that function into an index, which may be 3 or more. Returns `None` for other vectors.
    pub(super) fn dimension_of(&mut self, vector: u32, n: Value) -> Option<Value> {
        let load = self.defs.get(&vector).filter(|def| def.inst.op == Op::Load)?.inst;
        let variable = *load.args.first()?;
        self.cx
            .source
            .variables
            .get(&variable)
            .filter(|v| v.class == StorageClass::Input)?;
        let function = by_dimension(self.built_in(variable)?)?;
        let scalar = self
            .cx
            .source
            .types
            .value(load.ty)
            .filter(|ty| ty.is_vector())?
            .scalar;
        let value = self.b.value(IrOp::Intrinsic(function), [n], Ty::I64);
        Some(self.resize(value, Ty::of(scalar), false))
    }

    /// Returns the value of a built-in variable.
    fn built_in_value(&mut self, inst: &Inst<'_>, variable: u32) -> Result<Value, Error> {
        let source = self.cx.source;
        let pointee = source.variables.get(&variable).map(|v| v.pointee);
        let ty = pointee.and_then(|p| source.types.value(p));
        let (Some(ty), Some(built_in)) = (ty, self.built_in(variable)) else {
            return Err(inst.invalid(format!("%{variable} is no built-in variable")));
        };
        let size = if source.types.small_pointers {
            Ty::I32
        } else {
            Ty::I64
        };
        // Some producers declare elements of 64 bits in modules with addresses of 32; others declare 32 bits in any module.
        let element = match ty.scalar {
            Scalar::I32 | Scalar::I64 if ty.is_vector() => ty.scalar,
            _ => size.scalar,
        };
        let single = |i| Some((i, Ty::I32));
        let found = match built_in {
            BuiltIn::WorkDim => single(Intrinsic::WorkDim),
            BuiltIn::SubgroupSize => single(Intrinsic::SubgroupSize),
            BuiltIn::SubgroupMaxSize => single(Intrinsic::SubgroupMaxSize),
            BuiltIn::NumSubgroups => single(Intrinsic::NumSubgroups),
            BuiltIn::SubgroupId => single(Intrinsic::SubgroupId),
            BuiltIn::SubgroupLocalInvocationId => single(Intrinsic::SubgroupLocalId),
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask
                if ty == Ty::vector(Scalar::I32, 4) =>
            {
                return self.subgroup_mask(inst, built_in);
            }
            BuiltIn::GlobalLinearId | BuiltIn::LocalInvocationIndex | BuiltIn::NumEnqueuedSubgroups
                if ty == Ty::I32 || ty == Ty::I64 =>
            {
                let value = self.computed_built_in(inst, built_in)?;
                return Ok(self.resize(value, ty, false));
            }
            _ => by_dimension(built_in).map(|i| (i, Ty::vector(element, 3))),
        };
        match found {
            Some((intrinsic, want)) if want == ty && want.is_vector() => {
                let lane = |n| {
                    let n = self.b.i32(n);
                    let value = self.b.value(IrOp::Intrinsic(intrinsic), [n], Ty::I64);
                    self.resize(value, Ty::of(element), false)
                };
                let lanes = (0..3).map(lane).collect();
                Ok(self.b.construct(ty, lanes))
            }
            Some((intrinsic, want)) if want == ty || want == Ty::I32 && ty == Ty::I64 => {
                let value = self.b.value(IrOp::Intrinsic(intrinsic), [], want);
                Ok(self.resize(value, ty, false))
            }
            Some(_) => Err(inst.invalid(format!("{built_in:?} is of another type"))),
            None => Err(inst.unsupported(format!("the built-in variable {built_in:?} is not implemented"))),
        }
    }

    /// Returns the mask of the work-items of the sub-group whose numbers compare in one way with that of this work-item.
    fn subgroup_mask(&mut self, inst: &Inst<'_>, built_in: BuiltIn) -> Result<Value, Error> {
        let which = match built_in {
            BuiltIn::SubgroupGeMask => "ge",
            BuiltIn::SubgroupGtMask => "gt",
            BuiltIn::SubgroupLeMask => "le",
            BuiltIn::SubgroupLtMask => "lt",
            _ => "eq",
        };
        let body = format!("return get_sub_group_{which}_mask();");
        let ty = Ty::vector(Scalar::I32, 4);
        let value = self.library_call(inst, &body, Some((ty, false)), &[])?;
        value.ok_or_else(|| inst.invalid("the mask has no value"))
    }

    /// Returns a number that OpenCL C computes: the position of the work-item in the NDRange or the work-group, or the
    /// number of sub-groups of a work-group that is not at the end of a dimension.
    fn computed_built_in(&mut self, inst: &Inst<'_>, built_in: BuiltIn) -> Result<Value, Error> {
        let body = match built_in {
            BuiltIn::GlobalLinearId => {
                "return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - \
                 get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);"
            }
            BuiltIn::LocalInvocationIndex => {
                "return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + \
                 get_local_id(0);"
            }
            _ => "return get_enqueued_num_sub_groups();",
        };
        let value = self.library_call(inst, body, Some((Ty::I64, false)), &[])?;
        value.ok_or_else(|| inst.invalid("the built-in variable has no value"))
    }
}

/// Returns OpenCL C's function of a dimension whose results are the components of a built-in vector.
fn by_dimension(built_in: BuiltIn) -> Option<Intrinsic> {
    Some(match built_in {
        BuiltIn::GlobalInvocationId => Intrinsic::GlobalId,
        BuiltIn::LocalInvocationId => Intrinsic::LocalId,
        BuiltIn::WorkgroupId => Intrinsic::GroupId,
        BuiltIn::NumWorkgroups => Intrinsic::NumGroups,
        BuiltIn::WorkgroupSize => Intrinsic::LocalSize,
        BuiltIn::EnqueuedWorkgroupSize => Intrinsic::EnqueuedLocalSize,
        BuiltIn::GlobalSize => Intrinsic::GlobalSize,
        BuiltIn::GlobalOffset => Intrinsic::GlobalOffset,
        _ => return None,
    })
}
