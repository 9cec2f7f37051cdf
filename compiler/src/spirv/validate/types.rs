//! Validation of the types, constants and variables of a module.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{self as spv, Capability, Decoration, Op, StorageClass};

use super::{Checked, Checker, id, ids_from, literal, refuse};
use crate::intrinsic::{Texel, TexelFormat};
use crate::spirv::image::image_format;

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ty {
    Void,
    Bool,
    Int(u32),
    /// A signed 32-bit integer. It is allowed only for the texels of some images.
    Signed,
    Float(u32),
    /// The component type and the number of components.
    Vector(u32, u32),
    /// The element type and the id of the length.
    Array(u32, u32),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    Function {
        result: u32,
        params: Vec<u32>,
    },
    Image(Image),
    Sampler,
    SampledImage(u32),
}

/// An image type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Image {
    pub(super) sampled_type: u32,
    pub(super) dim: spv::Dim,
    pub(super) arrayed: bool,
    /// Whether it is accessed through a sampler or by fetches; otherwise it is a storage image.
    pub(super) sampled: bool,
    /// Its format, which only storage images may state.
    pub(super) format: spv::ImageFormat,
}

/// The component type of numbers and Booleans.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Int(u32),
    /// A signed 32-bit integer, which has no arithmetic.
    Signed,
    Float(u32),
}

impl Checker<'_> {
    /// Returns the component kind and the number of components of a scalar or vector.
    pub(super) fn shape(&self, ty: u32) -> Option<(Kind, u32)> {
        Some(match self.types.get(&ty)? {
            Ty::Bool => (Kind::Bool, 1),
            Ty::Int(w) => (Kind::Int(*w), 1),
            Ty::Signed => (Kind::Signed, 1),
            Ty::Float(w) => (Kind::Float(*w), 1),
            Ty::Vector(of, n) => (self.shape(*of)?.0, *n),
            _ => return None,
        })
    }

    pub(super) fn is_int(&self, ty: u32) -> bool {
        matches!(self.types.get(&ty), Some(Ty::Int(_)))
    }

    /// Returns whether values of a type can be stored in memory.
    fn is_data(&self, ty: u32, depth: u32) -> bool {
        match self.types.get(&ty) {
            Some(Ty::Bool | Ty::Int(_) | Ty::Signed | Ty::Float(_) | Ty::Vector(..)) => true,
            Some(Ty::Array(of, _)) => depth < 64 && self.is_data(*of, depth + 1),
            Some(Ty::Struct(members)) => depth < 64 && members.iter().all(|m| self.is_data(*m, depth + 1)),
            _ => false,
        }
    }

    /// Returns whether a type contains a component for which the predicate is true.
    fn contains(&self, ty: u32, is: &dyn Fn(&Ty) -> bool, depth: u32) -> bool {
        let Some(t) = self.types.get(&ty) else {
            return false;
        };
        is(t)
            || depth < 64
                && match t {
                    Ty::Vector(of, _) | Ty::Array(of, _) | Ty::RuntimeArray(of) => {
                        self.contains(*of, is, depth + 1)
                    }
                    Ty::Struct(members) => members.iter().any(|m| self.contains(*m, is, depth + 1)),
                    _ => false,
                }
    }

    pub(super) fn globals(&mut self) -> Checked {
        let mut seen = crate::hash::HashSet::default();
        for inst in &self.module.types_global_values {
            let Some(result) = inst.result_id else {
                return refuse(inst, "it may not stand among types and constants");
            };
            if inst.class.opcode != Op::Variable && inst.result_type.is_none() {
                let ty = self.type_of_inst(inst)?;
                let aggregate = matches!(ty, Ty::Array(..) | Ty::RuntimeArray(_) | Ty::Struct(_));
                if !aggregate && !seen.insert(ty.clone()) {
                    return refuse(inst, "the same type has been declared before");
                }
                self.types.insert(result, ty);
                continue;
            }
            let Some(ty) = inst.result_type.filter(|t| self.types.contains_key(t)) else {
                return refuse(inst, "its type is no type");
            };
            for operand in inst.operands.iter().filter_map(Operand::id_ref_any) {
                if !self.globals.contains(&operand) {
                    return refuse(inst, &format!("%{operand} is no constant, or is defined later"));
                }
            }
            self.type_of.insert(result, ty);
            match inst.class.opcode {
                Op::Variable => self.variable(inst, ty)?,
                _ => self.constant_inst(inst, ty)?,
            }
            self.globals.insert(result);
        }
        Ok(())
    }

    fn known(&self, inst: &Instruction, n: usize) -> Checked<u32> {
        let ty = id(inst, n)?;
        match self.types.contains_key(&ty) {
            true => Ok(ty),
            false => refuse(inst, &format!("%{ty} is no type, or is defined later")),
        }
    }

    fn needs(&self, inst: &Instruction, any: &[Capability]) -> Checked {
        match any.iter().any(|c| self.has(*c)) {
            true => Ok(()),
            false => refuse(inst, &format!("the capability {:?} is missing", any[0])),
        }
    }

    fn type_of_inst(&self, inst: &Instruction) -> Checked<Ty> {
        Ok(match inst.class.opcode {
            Op::TypeVoid => Ty::Void,
            Op::TypeBool => Ty::Bool,
            Op::TypeInt => self.int_type(inst)?,
            Op::TypeFloat => self.float_type(inst)?,
            Op::TypeVector => {
                let (of, n) = (self.known(inst, 0)?, literal(inst, 1)?);
                if !matches!(self.types[&of], Ty::Bool | Ty::Int(_) | Ty::Signed | Ty::Float(_))
                    || !(2..=4).contains(&n)
                {
                    return refuse(inst, "not two to four scalars");
                }
                Ty::Vector(of, n)
            }
            Op::TypeArray => self.array_type(inst)?,
            Op::TypeRuntimeArray => {
                let of = self.known(inst, 0)?;
                if !self.is_data(of, 0) {
                    return refuse(inst, "an array of what is no data");
                }
                Ty::RuntimeArray(of)
            }
            Op::TypeStruct => {
                let members = (0..inst.operands.len()).map(|n| self.known(inst, n));
                let members = members.collect::<Checked<Vec<_>>>()?;
                for (n, m) in members.iter().enumerate() {
                    let last = n + 1 == members.len();
                    if !(self.is_data(*m, 0) || last && matches!(self.types[m], Ty::RuntimeArray(_))) {
                        return refuse(inst, "a member is no data");
                    }
                }
                Ty::Struct(members)
            }
            Op::TypePointer => {
                let Some(Operand::StorageClass(class)) = inst.operands.first() else {
                    return refuse(inst, "no storage class");
                };
                let to = self.known(inst, 1)?;
                if matches!(self.types[&to], Ty::Void | Ty::Function { .. } | Ty::Pointer(..)) {
                    return refuse(inst, "a pointer to what is no data");
                }
                self.class(inst, *class, to)?;
                Ty::Pointer(*class, to)
            }
            Op::TypeFunction => self.function_type(inst)?,
            Op::TypeImage => Ty::Image(self.image(inst)?),
            Op::TypeSampler => Ty::Sampler,
            Op::TypeSampledImage => {
                let of = self.known(inst, 0)?;
                match &self.types[&of] {
                    Ty::Image(i) if i.sampled && i.dim != spv::Dim::DimBuffer => Ty::SampledImage(of),
                    _ => return refuse(inst, "not an image that is sampled"),
                }
            }
            _ => return refuse(inst, "not known here"),
        })
    }

    fn int_type(&self, inst: &Instruction) -> Checked<Ty> {
        let width = literal(inst, 0)?;
        match width {
            8 => self.needs(inst, &[Capability::Int8, Capability::StorageBuffer8BitAccess])?,
            16 => self.needs(inst, &[Capability::Int16, Capability::StorageBuffer16BitAccess])?,
            32 => {}
            64 => self.needs(inst, &[Capability::Int64])?,
            _ => return refuse(inst, "a width that integers do not have"),
        }
        // Signedness is a property of the instructions, not of the types.
        Ok(match (literal(inst, 1)?, width) {
            (0, _) => Ty::Int(width),
            (1, 32) => Ty::Signed,
            _ => return refuse(inst, "a signed type"),
        })
    }

    fn float_type(&self, inst: &Instruction) -> Checked<Ty> {
        if inst.operands.len() != 1 {
            return refuse(inst, "an encoding");
        }
        let width = literal(inst, 0)?;
        match width {
            16 => self.needs(inst, &[Capability::Float16, Capability::StorageBuffer16BitAccess])?,
            32 => {}
            64 => self.needs(inst, &[Capability::Float64])?,
            _ => return refuse(inst, "a width that floats do not have"),
        }
        Ok(Ty::Float(width))
    }

    fn array_type(&self, inst: &Instruction) -> Checked<Ty> {
        let (of, n) = (self.known(inst, 0)?, id(inst, 1)?);
        if !self.is_data(of, 0) {
            return refuse(inst, "an array of what is no data");
        }
        let length = self.defs.get(&n).filter(|_| self.globals.contains(&n));
        let good = length.is_some_and(|l| match (l.class.opcode, l.operands.first()) {
            (Op::Constant | Op::SpecConstant, Some(Operand::LiteralBit32(v))) => {
                (1..=0x7fff_ffff).contains(v)
            }
            (Op::SpecConstantOp, _) => true,
            _ => false,
        });
        if !good || !matches!(self.types.get(&self.type_of[&n]), Some(Ty::Int(32))) {
            return refuse(inst, "its length is no constant of 32 bits that is larger than 0");
        }
        Ok(Ty::Array(of, n))
    }

    fn function_type(&self, inst: &Instruction) -> Checked<Ty> {
        let mut all = (0..inst.operands.len())
            .map(|n| self.known(inst, n))
            .collect::<Checked<Vec<_>>>()?;
        if all.is_empty() {
            return refuse(inst, "no result");
        }
        let result = all.remove(0);
        let value =
            |t: &u32| self.is_data(*t, 0) || matches!(self.types[t], Ty::Pointer(StorageClass::Function, _));
        if !all.iter().all(value) || !(self.types[&result] == Ty::Void || self.is_data(result, 0)) {
            return refuse(inst, "a parameter or result that is no data");
        }
        Ok(Ty::Function { result, params: all })
    }

    fn image(&self, inst: &Instruction) -> Checked<Image> {
        let sampled_type = self.known(inst, 0)?;
        if !matches!(
            self.types[&sampled_type],
            Ty::Int(32) | Ty::Signed | Ty::Float(32)
        ) {
            return refuse(inst, "its texels are no words");
        }
        let Some(Operand::Dim(dim)) = inst.operands.get(1) else {
            return refuse(inst, "no dimension");
        };
        let (depth, arrayed, multi, sampled) = (
            literal(inst, 2)?,
            literal(inst, 3)?,
            literal(inst, 4)?,
            literal(inst, 5)?,
        );
        let Some(Operand::ImageFormat(format)) = inst.operands.get(6) else {
            return refuse(inst, "no format");
        };
        let good = depth == 0 && arrayed <= 1 && multi == 0 && (1..=2).contains(&sampled);
        if *format != spv::ImageFormat::Unknown {
            self.needs(inst, &[Capability::StorageImageExtendedFormats])?;
            let texel = match self.types[&sampled_type] {
                Ty::Float(_) => Texel::Float,
                Ty::Signed => Texel::Int,
                _ => Texel::UInt,
            };
            let fits = |f: TexelFormat| f.texel() == texel && image_format(f) == *format;
            if sampled != 2 || !TexelFormat::all().any(fits) {
                return refuse(inst, "a format that does not fit the image");
            }
        }
        if !good || inst.operands.len() != 7 {
            return refuse(inst, "a kind of image that OpenCL does not have");
        }
        match dim {
            spv::Dim::Dim1D if sampled == 1 => {
                self.needs(inst, &[Capability::Sampled1D, Capability::Image1D])?
            }
            spv::Dim::Dim1D => self.needs(inst, &[Capability::Image1D])?,
            spv::Dim::DimBuffer if sampled == 1 => {
                self.needs(inst, &[Capability::SampledBuffer, Capability::ImageBuffer])?;
            }
            spv::Dim::DimBuffer => self.needs(inst, &[Capability::ImageBuffer])?,
            spv::Dim::Dim2D | spv::Dim::Dim3D => {}
            _ => return refuse(inst, "a dimension that OpenCL does not have"),
        }
        if arrayed == 1 && matches!(dim, spv::Dim::Dim3D | spv::Dim::DimBuffer) {
            return refuse(inst, "an array of volumes or buffers");
        }
        Ok(Image {
            sampled_type,
            dim: *dim,
            arrayed: arrayed == 1,
            sampled: sampled == 1,
            format: *format,
        })
    }

    /// Checks whether memory of a storage class can hold a type.
    fn class(&self, inst: &Instruction, class: StorageClass, to: u32) -> Checked {
        let opaque = matches!(self.types[&to], Ty::Image(_) | Ty::Sampler | Ty::SampledImage(_));
        let has =
            |width: u32| self.contains(to, &|t| matches!(t, Ty::Int(w) | Ty::Float(w) if *w == width), 0);
        let has_bool = self.contains(to, &|t| matches!(t, Ty::Bool | Ty::Signed), 0)
            && class != StorageClass::UniformConstant;
        let good = match class {
            StorageClass::UniformConstant => opaque,
            StorageClass::Input => {
                !opaque && !has_bool && !has(8) && !has(16) && !has(64) && self.shape(to).is_some()
            }
            StorageClass::PushConstant | StorageClass::Uniform => !opaque && !has_bool && !has(8) && !has(16),
            StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => {
                let good8 = !has(8) || self.has(Capability::StorageBuffer8BitAccess);
                let good16 = !has(16) || self.has(Capability::StorageBuffer16BitAccess);
                let physical = class == StorageClass::PhysicalStorageBuffer;
                let addresses = !physical || self.has(Capability::PhysicalStorageBufferAddresses);
                !opaque && !has_bool && good8 && good16 && addresses
            }
            StorageClass::Workgroup | StorageClass::Function | StorageClass::Private => {
                let runtime = self.contains(to, &|t| matches!(t, Ty::RuntimeArray(_)), 0);
                let good8 = !has(8) || self.has(Capability::Int8);
                let int16 = self.contains(to, &|t| *t == Ty::Int(16), 0);
                let float16 = self.contains(to, &|t| *t == Ty::Float(16), 0);
                let good16 =
                    (!int16 || self.has(Capability::Int16)) && (!float16 || self.has(Capability::Float16));
                !opaque && !runtime && good8 && good16
            }
            _ => false,
        };
        match good {
            true => Ok(()),
            false => refuse(inst, "such memory does not hold this type"),
        }
    }

    /// Returns whether the module may do arithmetic on a kind, and not only load and store it.
    pub(super) fn computes(&self, kind: Kind) -> bool {
        match kind {
            Kind::Int(8) => self.has(Capability::Int8),
            Kind::Int(16) => self.has(Capability::Int16),
            Kind::Float(16) => self.has(Capability::Float16),
            Kind::Bool | Kind::Int(_) | Kind::Signed | Kind::Float(_) => true,
        }
    }

    fn constant_inst(&self, inst: &Instruction, ty: u32) -> Checked {
        let shape = self.shape(ty);
        if shape.is_some_and(|(kind, _)| !self.computes(kind)) {
            return refuse(inst, "a constant of a type that is for storage only");
        }
        let good = match inst.class.opcode {
            Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                self.types[&ty] == Ty::Bool
            }
            Op::Constant | Op::SpecConstant => match (&self.types[&ty], inst.operands.as_slice()) {
                (Ty::Int(w @ (8 | 16)), [Operand::LiteralBit32(v)]) => v >> w == 0,
                (Ty::Float(16), [Operand::LiteralBit32(v)]) => v >> 16 == 0,
                (Ty::Int(32) | Ty::Float(32), [Operand::LiteralBit32(_)])
                | (Ty::Int(64) | Ty::Float(64), [Operand::LiteralBit64(_)]) => true,
                _ => false,
            },
            Op::ConstantNull | Op::Undef => self.is_data(ty, 0),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts = ids_from(inst, 0)?;
                let types = parts
                    .iter()
                    .map(|p| self.ty(inst, *p))
                    .collect::<Checked<Vec<_>>>()?;
                let spec = |p: &u32| {
                    matches!(
                        self.defs[p].class.opcode,
                        Op::SpecConstant
                            | Op::SpecConstantOp
                            | Op::SpecConstantComposite
                            | Op::SpecConstantTrue
                            | Op::SpecConstantFalse
                    )
                };
                let variable = parts.iter().any(|p| self.defs[p].class.opcode == Op::Variable);
                let plain = inst.class.opcode == Op::SpecConstantComposite || !parts.iter().any(spec);
                let scalars = !matches!(&self.types[&ty], Ty::Vector(_, n) if types.len() != *n as usize);
                !variable && plain && scalars && self.made_of(ty, &types)
            }
            Op::SpecConstantOp => {
                let Some(Operand::LiteralSpecConstantOpInteger(op)) = inst.operands.first() else {
                    return refuse(inst, "no operation");
                };
                let integer = matches!(
                    op,
                    Op::IAdd
                        | Op::ISub
                        | Op::IMul
                        | Op::UDiv
                        | Op::UMod
                        | Op::ShiftRightLogical
                        | Op::ShiftLeftLogical
                        | Op::BitwiseAnd
                        | Op::BitwiseOr
                        | Op::BitwiseXor
                );
                let same = ids_from(inst, 1)?
                    .iter()
                    .all(|v| self.type_of.get(v) == Some(&ty));
                integer
                    && same
                    && inst.operands.len() == 3
                    && self.is_int(ty)
                    && matches!(self.types[&ty], Ty::Int(32))
            }
            _ => return refuse(inst, "not known here"),
        };
        match good {
            true => Ok(()),
            false => refuse(inst, "it does not fit its type"),
        }
    }

    /// Returns whether a composite consists of constituents of these types.
    pub(super) fn made_of(&self, ty: u32, parts: &[u32]) -> bool {
        match &self.types[&ty] {
            Ty::Vector(of, n) => {
                let kind = self.shape(*of).map(|s| s.0);
                let lanes = parts
                    .iter()
                    .map(|p| self.shape(*p).filter(|s| Some(s.0) == kind).map(|s| s.1));
                lanes.sum::<Option<u32>>() == Some(*n) && parts.len() > 1
            }
            Ty::Array(of, n) => {
                let length = self.defs[n].operands.first();
                let fixed = self.defs[n].class.opcode == Op::Constant;
                fixed
                    && length == Some(&Operand::LiteralBit32(parts.len() as u32))
                    && parts.iter().all(|p| p == of)
            }
            Ty::Struct(members) => members == parts,
            _ => false,
        }
    }

    fn variable(&self, inst: &Instruction, ty: u32) -> Checked {
        let Ty::Pointer(class, to) = self.types[&ty] else {
            return refuse(inst, "its type is no pointer");
        };
        let start = match inst.operands.as_slice() {
            [_, start] if class == StorageClass::Private => start.id_ref_any(),
            _ => None,
        };
        if let Some(start) = start
            && (self.type_of.get(&start) != Some(&to) || self.defs[&start].class.opcode == Op::Variable)
        {
            return refuse(inst, "an initializer of another type");
        }
        if inst.operands.first() != Some(&Operand::StorageClass(class))
            || inst.operands.len() != 1 + usize::from(start.is_some())
        {
            return refuse(inst, "another storage class than its type's, or an initializer");
        }
        let result = inst.result_id.unwrap_or(0);
        let bound = |d| self.decorated(result, d).is_some();
        let placed = bound(Decoration::DescriptorSet) && bound(Decoration::Binding);
        let block =
            matches!(self.types[&to], Ty::Struct(_)) && self.decorated(to, Decoration::Block).is_some();
        let good = match class {
            StorageClass::UniformConstant => placed,
            StorageClass::StorageBuffer | StorageClass::Uniform => placed && block,
            StorageClass::PushConstant => block,
            StorageClass::Input => bound(Decoration::BuiltIn),
            StorageClass::Workgroup | StorageClass::Private => true,
            _ => false,
        };
        match good {
            true => Ok(()),
            false => refuse(inst, "its decorations or its storage class do not fit"),
        }
    }
}
