//! Translation of HIR types to IR types.

use super::{Lowered, broken};
use crate::hir::{self, Scalar, Space, Type, TypeId, Types};
use crate::ir::{self, AddressSpace, Ty};

/// Returns the IR's address space.
pub(super) fn space(space: Space) -> AddressSpace {
    match space {
        Space::Private => AddressSpace::Private,
        Space::Local => AddressSpace::Local,
        Space::Global => AddressSpace::Global,
        Space::Constant => AddressSpace::Constant,
        Space::Generic => AddressSpace::Generic,
    }
}

/// Returns the scalar type of a value, without its signedness.
pub(super) fn scalar(s: Scalar) -> ir::Scalar {
    match s {
        Scalar::Bool => ir::Scalar::Bool,
        Scalar::Char | Scalar::UChar => ir::Scalar::I8,
        Scalar::Short | Scalar::UShort => ir::Scalar::I16,
        Scalar::Int | Scalar::UInt => ir::Scalar::I32,
        Scalar::Long | Scalar::ULong => ir::Scalar::I64,
        Scalar::Half => ir::Scalar::F16,
        Scalar::Float => ir::Scalar::F32,
        Scalar::Double => ir::Scalar::F64,
    }
}

/// Returns the type of an SSA value; `None` for void and for types that exist only in memory.
pub(super) fn value(types: &Types, id: TypeId) -> Option<Ty> {
    match *types.get(id) {
        Type::Scalar(s) => Some(Ty::of(scalar(s))),
        Type::Vector(s, n) => Some(Ty::vector(scalar(s), n)),
        Type::Pointer { space: s, .. } => Some(Ty::ptr(space(s))),
        Type::Image { .. } => Some(Ty::of(ir::Scalar::Image)),
        Type::Sampler => Some(Ty::of(ir::Scalar::Sampler)),
        Type::Event => Some(Ty::I64),
        // A pipe is the buffer that `builtins/lib/pipe.cl` describes.
        Type::Pipe { .. } => Some(Ty::ptr(AddressSpace::Global)),
        Type::ReserveId => Some(Ty::I32),
        Type::Matrix(m) => Some(Ty::of(ir::Scalar::Matrix(ir::Matrix {
            component: ir::Component::of(scalar(m.component))?,
            rows: m.rows,
            columns: m.columns,
            role: m.role,
        }))),
        Type::Void
        | Type::Array(..)
        | Type::IncompleteArray(_)
        | Type::Record(_)
        | Type::Function { .. }
        | Type::AnyMatrix => None,
    }
}

/// Returns the type of the elements of an array of matrices, of any number of dimensions, and its IR type.
pub(super) fn matrix_element(types: &Types, mut id: TypeId) -> Option<(TypeId, Ty)> {
    while let Type::Array(elem, _) = *types.get(id) {
        id = elem;
    }
    let ty = value(types, id)?;
    ty.scalar.matrix().map(|_| (id, ty))
}

/// Returns the type of a parameter. Structs are passed by reference.
pub(super) fn param(types: &Types, id: TypeId) -> Ty {
    value(types, id).unwrap_or(Ty::ptr(AddressSpace::Private))
}

pub(super) fn is_record(types: &Types, id: TypeId) -> bool {
    matches!(types.get(id), Type::Record(_))
}

/// Returns whether a type is that of images or samplers, which memory cannot hold.
pub(super) fn is_handle(types: &Types, id: TypeId) -> bool {
    matches!(types.get(id), Type::Image { .. } | Type::Sampler)
}

/// Returns the size of an object in bytes. Sema has checked that the type is complete and the size
/// reasonable.
pub(super) fn size(types: &Types, id: TypeId) -> Lowered<u32> {
    match types.size(id).map(u32::try_from) {
        Some(Ok(n)) => Ok(n),
        Some(Err(_)) => broken("an object of 4 GiB or more"),
        None => broken("an object of incomplete type"),
    }
}

/// Returns the number of bytes by which an increment moves a pointer to this type; 1 for void, as in GNU C.
pub(super) fn step(types: &Types, id: TypeId) -> u64 {
    types.size(id).unwrap_or(1)
}

/// Returns the pointee of a pointer type.
pub(super) fn pointee(types: &Types, id: TypeId) -> Lowered<TypeId> {
    match *types.get(id) {
        Type::Pointer { pointee, .. } => Ok(pointee),
        Type::Void
        | Type::Scalar(_)
        | Type::Vector(..)
        | Type::Array(..)
        | Type::IncompleteArray(_)
        | Type::Record(_)
        | Type::Function { .. }
        | Type::Image { .. }
        | Type::Sampler
        | Type::Event
        | Type::Pipe { .. }
        | Type::Matrix(_)
        | Type::AnyMatrix
        | Type::ReserveId => broken("a pointer is expected"),
    }
}

/// Returns the scalar type and the number of lanes of an arithmetic type.
pub(super) fn lanes(types: &Types, id: TypeId) -> Lowered<(hir::Scalar, u8)> {
    match types.lanes(id) {
        Some(l) => Ok(l),
        None => broken("an arithmetic type is expected"),
    }
}
