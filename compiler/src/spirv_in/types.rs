//! Types, with their layout in memory.
//!
//! A type is laid out when it is declared, from the layouts of the types that it consists of. Nothing later
//! follows a chain of types, so its depth does not matter.

use super::Error;
use super::words::Inst;
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::ImageShape;
use crate::ir::{Access, AddressSpace, Component, Matrix, MatrixUse, Scalar, Ty};
use rspirv::spirv::{AccessQualifier, Dim, Op, Scope, StorageClass};

/// The largest size of a type in bytes: what the IR can state as the size of an object.
const MAX_SIZE: u64 = u32::MAX as u64 - 15;

/// Why a module for 32-bit addresses cannot have pointers in memory.
pub(super) const SMALL_POINTERS: &str =
    "pointers have 32 bits in memory with Physical32, but the addresses of the device have 64";

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Type {
    Void,
    /// A scalar or vector of numbers or Booleans.
    Plain(Ty),
    /// The id of the element type, and the length.
    Array(u32, u64),
    /// The ids of the members' types and their offsets.
    Struct(Vec<(u32, u64)>),
    /// The storage class and the id of the pointee.
    Pointer(StorageClass, u32),
    Function {
        ret: u32,
        params: Vec<u32>,
    },
    Image {
        shape: ImageShape,
        access: AccessQualifier,
        /// Whether it is a depth image.
        depth: bool,
    },
    Sampler,
    /// The id of the image type.
    SampledImage(u32),
    Event,
    /// A pipe that is written, or else read.
    Pipe {
        write: bool,
    },
    ReserveId,
    /// A structure without a known definition.
    Opaque,
}

/// The extent of a type's values in memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) size: u32,
    pub(super) align: u32,
}

impl Layout {
    /// Returns the access to memory with this layout.
    pub(super) fn access(self) -> Access {
        Access {
            align: self.align.max(1),
            volatile: false,
        }
    }
}

/// The extent of pointers.
const POINTER: Layout = Layout { size: 8, align: 8 };

/// The types of a module by id.
#[derive(Default, Debug)]
pub(super) struct Types {
    /// Pointers have 32 bits in the module (Physical32), and 64 on the device. They may be values and contents of private
    /// variables, but not parts of structures, arrays or other memory, whose layout would be another one.
    pub(super) small_pointers: bool,
    /// The module has generic pointers.
    pub(super) has_generic: bool,
    types: HashMap<u32, (Type, Option<Layout>)>,
    /// The types whose values are matrices, or arrays or structures that contain some.
    with_matrices: HashSet<u32>,
    /// The vectors of one component.
    singles: HashSet<u32>,
    /// Vectors may have any number of components (VectorAnyINTEL).
    pub(super) any_vectors: bool,
}

/// Returns whether a vector has more components than one of OpenCL C.
fn is_long_vector(inst: &Inst<'_>) -> bool {
    inst.arg(1).is_ok_and(|n| n > 4 && n != 8 && n != 16)
}

/// Returns the address space of a storage class; `None` for those that are no memory of a kernel.
pub(super) fn space(class: StorageClass) -> Option<AddressSpace> {
    Some(match class {
        StorageClass::UniformConstant => AddressSpace::Constant,
        StorageClass::Workgroup => AddressSpace::Local,
        StorageClass::CrossWorkgroup => AddressSpace::Global,
        StorageClass::Function => AddressSpace::Private,
        StorageClass::Generic => AddressSpace::Generic,
        _ => return None,
    })
}

fn plain(ty: Ty) -> (Type, Option<Layout>) {
    // A Bool is a byte in memory. A vector of three lanes has the size of four.
    let scalar = ty.scalar.bytes().max(1);
    let lanes = u32::from(if ty.lanes == 3 { 4 } else { ty.lanes });
    let size = scalar * lanes;
    (Type::Plain(ty), Some(Layout { size, align: size }))
}

impl Types {
    /// Returns a type.
    pub(super) fn get(&self, id: u32) -> Option<&Type> {
        self.types.get(&id).map(|(ty, _)| ty)
    }

    /// Returns the layout of a type; `None` if its values have no place in memory.
    pub(super) fn layout(&self, id: u32) -> Option<Layout> {
        self.types.get(&id).and_then(|(_, layout)| *layout)
    }

    /// Returns whether there are matrix types.
    pub(super) fn have_matrices(&self) -> bool {
        !self.with_matrices.is_empty()
    }

    /// Returns the type that an instruction names.
    pub(super) fn of(&self, inst: &Inst<'_>, id: u32) -> Result<&Type, Error> {
        self.get(id)
            .ok_or_else(|| inst.invalid(format!("%{id} is not a type that is declared before")))
    }

    /// Returns the layout of a type that an instruction names.
    pub(super) fn layout_of(&self, inst: &Inst<'_>, id: u32) -> Result<Layout, Error> {
        self.of(inst, id)?;
        self.layout(id)
            .ok_or_else(|| inst.invalid(format!("values of the type %{id} cannot be in memory")))
    }

    /// Returns the IR's type of a value; `None` for void and for values that are in memory.
    pub(super) fn value(&self, id: u32) -> Option<Ty> {
        Some(match self.get(id)? {
            Type::Plain(ty) => *ty,
            Type::Pointer(class, _) => Ty::ptr(space(*class)?),
            Type::Image { .. } => Ty::of(Scalar::Image),
            Type::Sampler => Ty::of(Scalar::Sampler),
            Type::Event => Ty::I64,
            Type::Pipe { .. } => Ty::ptr(AddressSpace::Global),
            Type::ReserveId => Ty::I32,
            Type::Void
            | Type::Array(..)
            | Type::Struct(_)
            | Type::Function { .. }
            | Type::SampledImage(_)
            | Type::Opaque => return None,
        })
    }

    /// Adds the type of a pointer that the module does not declare.
    pub(super) fn add_pointer(&mut self, id: u32, class: StorageClass, pointee: u32) {
        let entry = (Type::Pointer(class, pointee), Some(POINTER));
        self.types.insert(id, entry);
    }

    /// Follows the types of elements from an array to the first type that is no array. Returns any other type unchanged.
    pub(super) fn first_element(&self, mut id: u32) -> u32 {
        // An array is declared after the type of its elements.
        while let Some(Type::Array(elem, _)) = self.get(id) {
            id = *elem;
        }
        id
    }

    /// Returns whether a type is a vector of one component, whose values are scalars.
    pub(super) fn is_single(&self, id: u32) -> bool {
        self.singles.contains(&id)
    }

    /// Returns whether values of the type are arrays or structures.
    pub(super) fn is_aggregate(&self, id: u32) -> bool {
        matches!(self.get(id), Some(Type::Array(..) | Type::Struct(_)))
    }

    /// Returns whether two types consist of the same numbers at the same places in memory.
    pub(super) fn have_same_form(&self, a: u32, b: u32) -> bool {
        let mut done = HashSet::default();
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            if a == b || !done.insert((a, b)) {
                continue;
            }
            match (self.get(a), self.get(b)) {
                (Some(Type::Array(x, m)), Some(Type::Array(y, n))) if m == n => work.push((*x, *y)),
                (Some(Type::Struct(x)), Some(Type::Struct(y))) if x.len() == y.len() => {
                    for (&(x, at), &(y, also)) in x.iter().zip(y) {
                        if at != also {
                            return false;
                        }
                        work.push((x, y));
                    }
                }
                _ if self.value(a).is_some() && self.value(a) == self.value(b) => {}
                _ => return false,
            }
        }
        self.layout(a) == self.layout(b)
    }

    /// Returns the type and the offset of component `n` of a composite type.
    pub(super) fn component(&self, inst: &Inst<'_>, ty: u32, n: u64) -> Result<(Part, u64), Error> {
        let missing = || inst.invalid(format!("the type %{ty} has no component {n}"));
        match self.of(inst, ty)? {
            Type::Plain(t) if t.is_vector() && n < u64::from(t.lanes) => {
                let scalar = Ty::of(t.scalar);
                Ok((Part::Lane(scalar), n * u64::from(scalar.scalar.bytes().max(1))))
            }
            Type::Plain(t) if n == 0 && self.is_single(ty) => Ok((Part::Lane(*t), 0)),
            Type::Array(elem, count) if n < *count => {
                let layout = self.layout_of(inst, *elem)?;
                Ok((Part::Type(*elem), n * u64::from(layout.size)))
            }
            Type::Struct(members) => {
                let member = usize::try_from(n).ok().and_then(|n| members.get(n));
                member.map(|&(ty, at)| (Part::Type(ty), at)).ok_or_else(missing)
            }
            _ => Err(missing()),
        }
    }

    /// Declares a type. `length` evaluates the constant that is an array's length or a
    /// matrix's; `packed` says whether a
    /// structure has the decoration CPacked.
    pub(super) fn declare(
        &mut self,
        inst: &Inst<'_>,
        length: impl Fn(u32) -> Option<u64>,
        packed: bool,
    ) -> Result<(), Error> {
        let entry = match inst.op {
            Op::TypeVoid => (Type::Void, None),
            Op::TypeBool => plain(Ty::BOOL),
            Op::TypeInt => plain(int(inst)?),
            Op::TypeFloat => plain(float(inst)?),
            Op::TypeVector if self.any_vectors && is_long_vector(inst) => self.long_vector(inst)?,
            Op::TypeVector => {
                let ty = self.vector(inst)?;
                if !ty.is_vector() {
                    self.singles.insert(inst.result);
                }
                plain(ty)
            }
            Op::TypeArray => self.array(inst, length)?,
            Op::TypeStruct => self.structure(inst, packed)?,
            Op::TypePointer => {
                let (ty, layout) = pointer(inst)?;
                if let Type::Pointer(class, pointee) = ty
                    && class != StorageClass::Function
                {
                    self.may_be_in_memory(inst, pointee)?;
                    if self.with_matrices.contains(&pointee) {
                        return Err(inst.invalid("matrices are in variables of functions only"));
                    }
                }
                (ty, layout)
            }
            Op::TypeFunction => self.function(inst)?,
            Op::TypeImage => (image(inst)?, None),
            Op::TypeSampler => (Type::Sampler, None),
            Op::TypeSampledImage => match self.of(inst, inst.arg(0)?)? {
                Type::Image { .. } => (Type::SampledImage(inst.arg(0)?), None),
                _ => return Err(inst.invalid("it does not name an image type")),
            },
            Op::TypeEvent => (Type::Event, Some(Layout { size: 8, align: 8 })),
            Op::TypePipe => {
                let access = AccessQualifier::from_u32(inst.arg(0)?);
                let write = match access {
                    Some(AccessQualifier::ReadOnly) => false,
                    Some(AccessQualifier::WriteOnly) => true,
                    _ => return Err(inst.invalid("a pipe is either read or written")),
                };
                (Type::Pipe { write }, None)
            }
            Op::TypeReserveId => (Type::ReserveId, Some(Layout { size: 4, align: 4 })),
            Op::TypeCooperativeMatrixKHR => {
                self.with_matrices.insert(inst.result);
                plain(self.matrix(inst, length)?)
            }
            Op::TypeOpaque => (Type::Opaque, None),
            _ => return Err(inst.unsupported("the type is not implemented")),
        };
        let contained = match &entry.0 {
            Type::Array(elem, _) => self.with_matrices.contains(elem),
            Type::Struct(members) => members.iter().any(|(ty, _)| self.with_matrices.contains(ty)),
            _ => false,
        };
        if contained {
            self.with_matrices.insert(inst.result);
        }
        // Only an OpTypeForwardPointer can have declared the type before. Types that contain it rely on what it said.
        let is_as_forward = match (self.get(inst.result), &entry.0) {
            (Some(Type::Pointer(said, _)), Type::Pointer(class, _)) => said == class,
            (before, _) => before.is_none(),
        };
        if !is_as_forward {
            return Err(inst.invalid("its OpTypeForwardPointer states another type"));
        }
        self.types.insert(inst.result, entry);
        Ok(())
    }

    /// Declares that a type will be a pointer, so that structures may contain it before its own declaration.
    pub(super) fn forward(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        if self.small_pointers {
            // Only structures in memory need it.
            return Err(inst.unsupported(SMALL_POINTERS));
        }
        match StorageClass::from_u32(inst.arg(1)?) {
            Some(class) if space(class).is_some() => {
                let layout = Layout { size: 8, align: 8 };
                let entry = (Type::Pointer(class, 0), Some(layout));
                self.types.entry(inst.arg(0)?).or_insert(entry);
                Ok(())
            }
            Some(class) => Err(inst.unsupported(format!("the storage class {class:?} is not implemented"))),
            None => Err(inst.invalid("the storage class is unknown")),
        }
    }

    /// Checks that values of a type have the same size in memory as in the module.
    fn may_be_in_memory(&self, inst: &Inst<'_>, ty: u32) -> Result<(), Error> {
        match self.get(ty) {
            Some(Type::Pointer(..)) if self.small_pointers => Err(inst.unsupported(SMALL_POINTERS)),
            _ => Ok(()),
        }
    }

    /// Returns whether a type is a pointer to a pointer.
    pub(super) fn points_to_pointer(&self, ty: u32) -> bool {
        match self.get(ty) {
            Some(Type::Pointer(_, pointee)) => matches!(self.get(*pointee), Some(Type::Pointer(..))),
            _ => false,
        }
    }

    /// Returns a matrix type (SPV_KHR_cooperative_matrix). Its numbers are constants.
    fn matrix(&self, inst: &Inst<'_>, constant: impl Fn(u32) -> Option<u64>) -> Result<Ty, Error> {
        inst.exactly(5)?;
        let Type::Plain(component) = *self.of(inst, inst.arg(0)?)? else {
            return Err(inst.invalid("the component type is no scalar"));
        };
        let component = Component::of(component.scalar).filter(|_| !component.is_vector());
        let component = component.ok_or_else(|| inst.invalid("the component type is no number"))?;
        let number = |n: usize| {
            let value = constant(inst.arg(n)?);
            value.ok_or_else(|| inst.invalid("an operand is no integer constant"))
        };
        if number(1)? != Scope::Subgroup as u64 {
            return Err(inst.unsupported("matrices of other scopes than the sub-group are not implemented"));
        }
        let size = |n: usize| match number(n)? {
            lines @ 1..=1024 => Ok(lines as u16),
            lines => Err(inst.unsupported(format!("there are no matrices with {lines} rows or columns"))),
        };
        let role = MatrixUse::from_number(number(4)?);
        let matrix = Matrix {
            component,
            rows: size(2)?,
            columns: size(3)?,
            role: role.ok_or_else(|| inst.unsupported("the use of the matrix is unknown"))?,
        };
        Ok(Ty::of(Scalar::Matrix(matrix)))
    }

    fn vector(&self, inst: &Inst<'_>) -> Result<Ty, Error> {
        inst.exactly(2)?;
        match (self.of(inst, inst.arg(0)?)?, inst.arg(1)?) {
            (Type::Plain(ty), _) if ty.scalar.matrix().is_some() => {
                Err(inst.invalid("the component type is no scalar"))
            }
            // A vector of one component (SPV_INTEL_vector_compute) is a scalar.
            (Type::Plain(ty), n @ (1 | 2 | 3 | 4 | 8 | 16)) if !ty.is_vector() => {
                Ok(Ty::vector(ty.scalar, n as u8))
            }
            (Type::Plain(ty), n) if !ty.is_vector() => {
                Err(inst.unsupported(format!("OpenCL has no vectors of {n} components")))
            }
            _ => Err(inst.invalid("the component type is no scalar")),
        }
    }

    /// A vector that OpenCL C does not have is an array: its components can be read and written, but there is no arithmetic.
    fn long_vector(&self, inst: &Inst<'_>) -> Result<(Type, Option<Layout>), Error> {
        match self.of(inst, inst.arg(0)?)? {
            Type::Plain(ty) if !ty.is_vector() && !ty.scalar.is_ptr() && ty.scalar.matrix().is_none() => {
                self.array(inst, |n| Some(u64::from(n)))
            }
            _ => Err(inst.invalid("the component type is no scalar number")),
        }
    }

    fn array(
        &self,
        inst: &Inst<'_>,
        length: impl FnOnce(u32) -> Option<u64>,
    ) -> Result<(Type, Option<Layout>), Error> {
        inst.exactly(2)?;
        let (elem, count) = (inst.arg(0)?, inst.arg(1)?);
        let layout = self.layout_of(inst, elem)?;
        self.may_be_in_memory(inst, elem)?;
        let count = length(count).filter(|&n| n > 0);
        let count = count.ok_or_else(|| inst.invalid("the length is no positive integer constant"))?;
        let size = count
            .checked_mul(u64::from(layout.size))
            .filter(|&s| s <= MAX_SIZE)
            .ok_or_else(|| inst.unsupported("the array has 4 GiB or more"))?;
        let layout = Layout {
            size: size as u32,
            align: layout.align,
        };
        Ok((Type::Array(elem, count), Some(layout)))
    }

    fn structure(&self, inst: &Inst<'_>, packed: bool) -> Result<(Type, Option<Layout>), Error> {
        let mut members = Vec::with_capacity(inst.args.len());
        let (mut end, mut align) = (0u64, 1);
        for &member in inst.args {
            let layout = self.layout_of(inst, member)?;
            self.may_be_in_memory(inst, member)?;
            let own = if packed { 1 } else { layout.align };
            let at = end.next_multiple_of(u64::from(own));
            members.push((member, at));
            end = at + u64::from(layout.size);
            align = align.max(own);
            if end > MAX_SIZE {
                return Err(inst.unsupported("the structure has 4 GiB or more"));
            }
        }
        let layout = Layout {
            size: end.next_multiple_of(u64::from(align)) as u32,
            align,
        };
        Ok((Type::Struct(members), Some(layout)))
    }

    fn function(&self, inst: &Inst<'_>) -> Result<(Type, Option<Layout>), Error> {
        let ret = inst.arg(0)?;
        let params = inst.args_from(1)?.to_vec();
        for &ty in inst.args {
            self.of(inst, ty)?;
        }
        Ok((Type::Function { ret, params }, None))
    }
}

/// A component of a composite.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Part {
    /// A lane of a vector, of this type.
    Lane(Ty),
    /// A member or element, of the type with this id.
    Type(u32),
}

fn int(inst: &Inst<'_>) -> Result<Ty, Error> {
    inst.exactly(2)?;
    match inst.arg(0)? {
        bits @ (8 | 16 | 32 | 64) => Ok(Ty::of(Scalar::int(bits))),
        bits => Err(inst.unsupported(format!("OpenCL has no integers of {bits} bits"))),
    }
}

fn float(inst: &Inst<'_>) -> Result<Ty, Error> {
    if inst.args.len() > 1 {
        return Err(inst.unsupported("other encodings than those of IEEE 754 are not implemented"));
    }
    match inst.arg(0)? {
        16 => Ok(Ty::F16),
        32 => Ok(Ty::F32),
        64 => Ok(Ty::F64),
        bits => Err(inst.unsupported(format!("OpenCL has no floats of {bits} bits"))),
    }
}

fn pointer(inst: &Inst<'_>) -> Result<(Type, Option<Layout>), Error> {
    inst.exactly(2)?;
    let Some(class) = StorageClass::from_u32(inst.arg(0)?) else {
        return Err(inst.invalid("the storage class is unknown"));
    };
    let layout = Some(POINTER);
    match class {
        StorageClass::UniformConstant
        | StorageClass::Workgroup
        | StorageClass::CrossWorkgroup
        | StorageClass::Function
        | StorageClass::Generic => Ok((Type::Pointer(class, inst.arg(1)?), layout)),
        StorageClass::Input => Ok((Type::Pointer(class, inst.arg(1)?), None)),
        _ => Err(inst.unsupported(format!("the storage class {class:?} is not implemented"))),
    }
}

fn image(inst: &Inst<'_>) -> Result<Type, Error> {
    let dim = Dim::from_u32(inst.arg(1)?);
    let (depth, arrayed) = (inst.arg(2)? == 1, inst.arg(3)? == 1);
    let access = match inst.args.get(7) {
        Some(&word) => AccessQualifier::from_u32(word),
        None => Some(AccessQualifier::ReadOnly),
    };
    let Some(access) = access else {
        return Err(inst.invalid("the access qualifier is unknown"));
    };
    let shape = match (dim, arrayed) {
        (Some(Dim::Dim1D), false) => ImageShape::D1,
        (Some(Dim::Dim1D), true) => ImageShape::D1Array,
        (Some(Dim::Dim2D), false) => ImageShape::D2,
        (Some(Dim::Dim2D), true) => ImageShape::D2Array,
        (Some(Dim::Dim3D), false) => ImageShape::D3,
        (Some(Dim::DimBuffer), false) => ImageShape::Buffer,
        _ => return Err(inst.unsupported("OpenCL has no images of this shape")),
    };
    Ok(Type::Image { shape, access, depth })
}
