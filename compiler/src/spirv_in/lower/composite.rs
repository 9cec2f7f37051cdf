//! Vectors, structures and arrays as values.

use super::func::{FuncLowering, Val};
use crate::ir::{Access, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::types::{Part, Type};
use crate::spirv_in::words::Inst;

/// A component of a structure or array in memory.
struct Place {
    ptr: Value,
    access: Access,
    part: Part,
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn construct(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        let Some(Type::Plain(ty)) = self.cx.source.types.get(inst.ty) else {
            let mut parts = Vec::with_capacity(inst.args.len());
            for (n, &id) in inst.args.iter().enumerate() {
                let (part, _) = self.cx.source.types.component(inst, inst.ty, n as u64)?;
                let Part::Type(ty) = part else {
                    return Err(inst.invalid("the result type is no composite"));
                };
                parts.push(self.operand_of(inst, id, ty)?);
            }
            return self.define_parts(inst, &parts);
        };
        let ty = *ty;
        let mut parts = Vec::with_capacity(inst.args.len());
        let mut lanes = 0u32;
        for n in 0..inst.args.len() {
            let part = self.operand(inst, n)?;
            let have = self.b.func.ty(part);
            if have.scalar != ty.scalar {
                return Err(inst.invalid("a constituent has another component type"));
            }
            lanes += u32::from(have.lanes);
            parts.push(part);
        }
        let is_composite = ty.is_vector() || self.cx.source.types.is_single(inst.ty);
        if !is_composite || lanes != u32::from(ty.lanes) {
            return Err(inst.invalid("the number of components is not that of the result type"));
        }
        let value = self.of_components(ty, parts);
        self.define(inst, value)
    }

    /// Returns a vector of these parts, or the one scalar that is a vector of one component.
    fn of_components(&mut self, ty: Ty, parts: Vec<Value>) -> Value {
        match parts.as_slice() {
            &[part] if !ty.is_vector() => part,
            _ => self.b.construct(ty, parts),
        }
    }

    /// Returns whether operand `n` is a vector of one component.
    fn is_single(&self, inst: &Inst<'_>, n: usize) -> Result<bool, Error> {
        let ty = self.type_of(inst, inst.arg(n)?)?;
        Ok(self.cx.source.types.is_single(ty))
    }

    /// Sets the result of an instruction to a structure or array with these components.
    pub(super) fn define_parts(&mut self, inst: &Inst<'_>, parts: &[Val]) -> Result<(), Error> {
        let count = match self.cx.source.types.get(inst.ty) {
            Some(Type::Array(_, n)) => *n,
            Some(Type::Struct(members)) => members.len() as u64,
            _ => return Err(inst.invalid("the result type is no structure or array")),
        };
        if parts.len() as u64 != count {
            return Err(inst.invalid(format!("the result type has {count} components")));
        }
        let memory = self.new_memory(inst)?;
        for (n, part) in parts.iter().enumerate() {
            let place = self.place(inst, memory, inst.ty, &[n as u32])?;
            self.write_place(inst, &place, *part)?;
        }
        Ok(())
    }

    /// Follows literal indices from the start of a structure or array.
    fn place(&mut self, inst: &Inst<'_>, base: Value, ty: u32, indices: &[u32]) -> Result<Place, Error> {
        let types = &self.cx.source.types;
        let align = types.layout_of(inst, ty)?.align.max(1);
        let (mut offset, mut part) = (0u64, Part::Type(ty));
        for &n in indices {
            let Part::Type(ty) = part else {
                return Err(inst.invalid("an index into a scalar"));
            };
            let (next, at) = types.component(inst, ty, u64::from(n))?;
            offset += at;
            part = next;
        }
        let access = Access {
            align,
            volatile: false,
        };
        // Sizes of types have 32 bits, and so have offsets in them.
        Ok(Place {
            ptr: self.b.ptr_offset(base, offset as i64),
            access: access.at_offset(offset as u32),
            part,
        })
    }

    fn write_place(&mut self, inst: &Inst<'_>, place: &Place, val: Val) -> Result<(), Error> {
        match (val, place.part) {
            (Val::Memory(from), Part::Type(ty)) if self.cx.source.types.is_aggregate(ty) => {
                let layout = self.cx.source.types.layout_of(inst, ty)?;
                self.copy_as((place.ptr, place.access), (from, layout.access()), layout.size);
            }
            (Val::Value(value), part) => {
                let want = match part {
                    Part::Type(ty) => self.cx.source.types.value(ty),
                    Part::Lane(ty) => Some(ty),
                };
                if want != Some(self.b.func.ty(value)) {
                    return Err(inst.invalid("a constituent is of another type than the component"));
                }
                self.write(place.ptr, value, place.access);
            }
            _ => return Err(inst.invalid("a constituent is of another type than the component")),
        }
        Ok(())
    }

    pub(super) fn extract(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let id = inst.arg(0)?;
        let (ty, indices) = (self.type_of(inst, id)?, inst.args_from(1)?);
        match self.val(inst, id)? {
            Val::Value(v) => {
                let value = match indices {
                    [] => v,
                    [n] if *n < u32::from(self.b.func.ty(v).lanes) && self.b.func.ty(v).is_vector() => {
                        self.b.extract(v, *n as u8)
                    }
                    [0] if self.cx.source.types.is_single(ty) => v,
                    [n] => {
                        let n = self.b.i32(*n as i32);
                        let value = self.dimension_of(id, n);
                        value.ok_or_else(|| inst.invalid("there is no such component"))?
                    }
                    _ => return Err(inst.invalid("there is no such component")),
                };
                self.define(inst, value)
            }
            Val::Memory(base) => {
                let place = self.place(inst, base, ty, indices)?;
                match place.part {
                    Part::Type(ty) if self.cx.source.types.is_aggregate(ty) => {
                        if ty != inst.ty {
                            return Err(inst.invalid("the result type is not that of the component"));
                        }
                        let layout = self.cx.source.types.layout_of(inst, ty)?;
                        let memory = self.new_memory(inst)?;
                        self.copy_as((memory, layout.access()), (place.ptr, place.access), layout.size);
                        Ok(())
                    }
                    Part::Type(_) | Part::Lane(_) => {
                        let ty = self.result_type(inst)?;
                        let part = match place.part {
                            Part::Lane(ty) => Some(ty),
                            Part::Type(ty) => self.cx.source.types.value(ty),
                        };
                        if part != Some(ty) {
                            return Err(inst.invalid("the result type is not that of the component"));
                        }
                        let value = self.read(place.ptr, ty, place.access);
                        self.define(inst, value)
                    }
                }
            }
            Val::Sampled(..) => Err(inst.invalid("the operand is no composite")),
        }
    }

    pub(super) fn insert(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let object = self.val(inst, inst.arg(0)?)?;
        let composite = self.operand_of(inst, inst.arg(1)?, inst.ty)?;
        let indices = inst.args_from(2)?;
        match (composite, object, indices) {
            (Val::Value(v), Val::Value(scalar), [n]) => {
                let ty = self.b.func.ty(v);
                let is_single = self.cx.source.types.is_single(inst.ty);
                let is_composite = ty.is_vector() || is_single;
                if !is_composite || *n >= u32::from(ty.lanes) || self.b.func.ty(scalar) != Ty::of(ty.scalar) {
                    return Err(inst.invalid("there is no such component of this type"));
                }
                let value = match is_single {
                    true => scalar,
                    false => self.b.insert_lane(v, scalar, *n as u8),
                };
                self.define(inst, value)
            }
            (Val::Memory(from), _, _) => {
                let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
                let memory = self.new_memory(inst)?;
                self.copy(memory, from, layout);
                let place = self.place(inst, memory, inst.ty, indices)?;
                self.write_place(inst, &place, object)
            }
            _ => Err(inst.invalid("there is no such component")),
        }
    }

    pub(super) fn shuffle(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let (ta, tb) = (self.b.func.ty(a), self.b.func.ty(b));
        let is_single = self.cx.source.types.is_single(inst.ty);
        if is_single || self.is_single(inst, 0)? || self.is_single(inst, 1)? {
            return self.shuffle_singles(inst, a, b);
        }
        if !ta.is_vector() || !tb.is_vector() || ta.scalar != tb.scalar {
            return Err(inst.invalid("the operands are no vectors with the same component type"));
        }
        let lanes = ta.lanes.max(tb.lanes);
        let (wide_a, wide_b) = (self.widen(a, lanes), self.widen(b, lanes));
        let mut mask = Vec::new();
        for &n in inst.args_from(2)? {
            mask.push(match n {
                u32::MAX => 0xff,
                n if n < u32::from(ta.lanes) => n as u8,
                n if n < u32::from(ta.lanes) + u32::from(tb.lanes) => n as u8 - ta.lanes + lanes,
                n => return Err(inst.invalid(format!("there is no component {n}"))),
            });
        }
        if mask.len() != usize::from(self.result_type(inst)?.lanes) {
            return Err(inst.invalid("the number of components is not that of the result type"));
        }
        let value = self.b.shuffle(wide_a, wide_b, mask);
        self.define(inst, value)
    }

    /// Shuffles vectors of which some have one component.
    fn shuffle_singles(&mut self, inst: &Inst<'_>, a: Value, b: Value) -> Result<(), Error> {
        let to = self.result_type(inst)?;
        let is_composite = to.is_vector() || self.cx.source.types.is_single(inst.ty);
        let mut components = Vec::new();
        for (n, v) in [a, b].into_iter().enumerate() {
            let ty = self.b.func.ty(v);
            if ty.scalar != to.scalar || !ty.is_vector() && !self.is_single(inst, n)? {
                return Err(inst.invalid("the operands are no vectors with the same component type"));
            }
            match ty.lanes {
                1 => components.push(v),
                lanes => components.extend((0..lanes).map(|lane| self.b.extract(v, lane))),
            }
        }
        let mut parts = Vec::new();
        for &n in inst.args_from(2)? {
            parts.push(match (n, components.get(n as usize)) {
                (u32::MAX, _) => self.b.undef(Ty::of(to.scalar)),
                (_, Some(&part)) => part,
                (n, None) => return Err(inst.invalid(format!("there is no component {n}"))),
            });
        }
        if !is_composite || parts.len() != usize::from(to.lanes) {
            return Err(inst.invalid("the number of components is not that of the result type"));
        }
        let value = self.of_components(to, parts);
        self.define(inst, value)
    }

    /// Adds undefined lanes to a vector.
    fn widen(&mut self, v: Value, lanes: u8) -> Value {
        let have = self.b.func.ty(v).lanes;
        if have == lanes {
            return v;
        }
        let mask = (0..lanes).map(|n| if n < have { n } else { 0xff }).collect();
        self.b.shuffle(v, v, mask)
    }

    /// Returns the I32 number of a lane that operand `n` selects.
    fn lane(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value, Error> {
        let index = self.operand(inst, n)?;
        let ty = self.b.func.ty(index);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("the index is no integer"));
        }
        Ok(self.resize(index, Ty::I32, false))
    }

    pub(super) fn extract_dynamic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let (v, lane) = (self.operand(inst, 0)?, self.lane(inst, 1)?);
        if self.is_single(inst, 0)? {
            return self.define(inst, v);
        }
        if !self.b.func.ty(v).is_vector() {
            return Err(inst.invalid("the operand is no vector"));
        }
        let value = match self.dimension_of(inst.arg(0)?, lane) {
            Some(value) => value,
            None => self.b.extract_dynamic(v, lane),
        };
        self.define(inst, value)
    }

    pub(super) fn insert_dynamic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(3)?;
        let (v, scalar, lane) = (
            self.operand(inst, 0)?,
            self.operand(inst, 1)?,
            self.lane(inst, 2)?,
        );
        let ty = self.b.func.ty(v);
        if !ty.is_vector() || self.b.func.ty(scalar) != Ty::of(ty.scalar) {
            return Err(inst.invalid("the operands are no vector and a component of it"));
        }
        let value = self.b.insert_dynamic(v, scalar, lane);
        self.define(inst, value)
    }

    /// Gives an operand another id. The second operand of OpExpectKHR is only a hint.
    pub(super) fn copy_object(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        match self.operand_of(inst, inst.arg(0)?, inst.ty)? {
            Val::Value(value) => self.define(inst, value),
            Val::Memory(from) => {
                let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
                let memory = self.new_memory(inst)?;
                self.copy(memory, from, layout);
                Ok(())
            }
            sampled @ Val::Sampled(..) => {
                self.everywhere.insert(inst.result, sampled);
                Ok(())
            }
        }
    }

    /// Copies a structure or array to another type of the same form.
    pub(super) fn copy_logical(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let id = inst.arg(0)?;
        let (types, from) = (&self.cx.source.types, self.type_of(inst, id)?);
        if !types.is_aggregate(inst.ty) || !types.have_same_form(from, inst.ty) {
            return Err(inst.invalid("the type of the operand has not the form of the result type"));
        }
        let layout = types.layout_of(inst, inst.ty)?;
        let Val::Memory(from) = self.val(inst, id)? else {
            return Err(inst.invalid("the operand is no structure or array"));
        };
        let memory = self.new_memory(inst)?;
        self.copy(memory, from, layout);
        Ok(())
    }

    pub(super) fn undefined(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        match self.cx.source.types.value(inst.ty) {
            Some(ty) if ty.scalar.bytes() > 0 || ty.scalar == Scalar::Bool => {
                let value = self.b.undef(ty);
                self.define(inst, value)
            }
            _ => self.new_memory(inst).map(|_| ()),
        }
    }
}
