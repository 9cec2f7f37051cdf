//! The types of OpenCL C (6.1), which are interned, and their layout.

use crate::entity;
use crate::entity::Map;
use crate::hash::HashMap;
use crate::intrinsic::ImageShape;
pub use crate::ir::MatrixUse;
use crate::ir::{AddressSpace, Matrix};

entity! {
    /// An interned type: equal ids are equal types.
    TypeId, "ty"
}
entity! {
    /// A struct or union.
    RecordId, "record"
}

/// Arithmetic scalar types (6.1.1). `size_t`, `ptrdiff_t`, `intptr_t`, `uintptr_t` are `ULong` or `Long`, or
/// `UInt` or `Int` with 32-bit sizes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// `bool`, which vectors of the source cannot have as elements.
    Bool,
    /// 8 bits, signed.
    Char,
    /// 8 bits, unsigned.
    UChar,
    /// 16 bits, signed.
    Short,
    /// 16 bits, unsigned.
    UShort,
    /// 32 bits, signed.
    Int,
    /// 32 bits, unsigned.
    UInt,
    /// 64 bits, signed.
    Long,
    /// 64 bits, unsigned.
    ULong,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
}

impl Scalar {
    /// Returns the size and alignment in bytes; `Bool` in memory is one byte.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }
    /// Returns whether this is an integer type that vectors may have as elements, which is any but `bool`.
    pub fn is_lane_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }
    /// Returns whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }
    /// Returns whether this is an integer type or `bool`.
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }
    /// Returns whether values can be negative, which includes all floating-point types.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long) || self.is_float()
    }
    /// Returns the spelling in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Half => "half",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }
}

/// Address spaces (6.5).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// `__private`.
    Private,
    /// `__local`.
    Local,
    /// `__global`.
    Global,
    /// `__constant`.
    Constant,
    /// `__generic` of OpenCL C 2.0 and later: private, local or global memory, which only the pointer's value tells.
    Generic,
}

impl Space {
    /// Returns what [`Intrinsic::PointerTag`](crate::intrinsic::Intrinsic::PointerTag) gives for generic pointers to an
    /// address space other than global memory, for which it may be any other number.
    pub fn tag(self) -> u64 {
        match self {
            Space::Private => AddressSpace::Private.tag(),
            Space::Local => AddressSpace::Local.tag(),
            Space::Global | Space::Constant | Space::Generic => AddressSpace::Global.tag(),
        }
    }
}

/// Image types (6.1.3).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImageDim {
    /// `image1d_t`.
    D1,
    /// `image1d_buffer_t`.
    D1Buffer,
    /// `image1d_array_t`.
    D1Array,
    /// `image2d_t`.
    D2,
    /// `image2d_array_t`.
    D2Array,
    /// `image2d_depth_t`.
    D2Depth,
    /// `image2d_array_depth_t`.
    D2ArrayDepth,
    /// `image3d_t`.
    D3,
}

impl ImageDim {
    /// All image types.
    pub const ALL: [ImageDim; 8] = [
        ImageDim::D1,
        ImageDim::D1Buffer,
        ImageDim::D1Array,
        ImageDim::D2,
        ImageDim::D2Array,
        ImageDim::D2Depth,
        ImageDim::D2ArrayDepth,
        ImageDim::D3,
    ];

    /// Returns the shape; a depth image has the shape of the corresponding colour image.
    pub fn shape(self) -> ImageShape {
        match self {
            ImageDim::D1 => ImageShape::D1,
            ImageDim::D1Buffer => ImageShape::Buffer,
            ImageDim::D1Array => ImageShape::D1Array,
            ImageDim::D2 | ImageDim::D2Depth => ImageShape::D2,
            ImageDim::D2Array | ImageDim::D2ArrayDepth => ImageShape::D2Array,
            ImageDim::D3 => ImageShape::D3,
        }
    }
    /// Returns the type's name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            ImageDim::D1 => "image1d_t",
            ImageDim::D1Buffer => "image1d_buffer_t",
            ImageDim::D1Array => "image1d_array_t",
            ImageDim::D2 => "image2d_t",
            ImageDim::D2Array => "image2d_array_t",
            ImageDim::D2Depth => "image2d_depth_t",
            ImageDim::D2ArrayDepth => "image2d_array_depth_t",
            ImageDim::D3 => "image3d_t",
        }
    }
    /// Returns whether a texel is a single number, the depth.
    pub fn is_depth(self) -> bool {
        match self {
            ImageDim::D2Depth | ImageDim::D2ArrayDepth => true,
            ImageDim::D1
            | ImageDim::D1Buffer
            | ImageDim::D1Array
            | ImageDim::D2
            | ImageDim::D2Array
            | ImageDim::D3 => false,
        }
    }
}

/// What a kernel does with an image (6.6).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImageAccess {
    /// `read_only`
    Read,
    /// `write_only`
    Write,
    /// `read_write` of OpenCL C 2.0
    ReadWrite,
}

impl ImageAccess {
    /// Returns whether the image may be written.
    pub fn writes(self) -> bool {
        matches!(self, ImageAccess::Write | ImageAccess::ReadWrite)
    }
    /// Returns the qualifier in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            ImageAccess::Read => "__read_only",
            ImageAccess::Write => "__write_only",
            ImageAccess::ReadWrite => "__read_write",
        }
    }
}

/// The type of a cooperative matrix of a sub-group.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatrixType {
    /// The type of the components, which is not `Bool`.
    pub component: Scalar,
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
    /// The operand of a product that it can be.
    pub role: MatrixUse,
}

/// A type. The qualifiers of objects (const, volatile) are part of pointees and of `Place`s, not of value
/// types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vector of 2, 3, 4, 8 or 16 lanes. Vectors of `Bool` exist only as results of vector comparisons.
    Vector(Scalar, u8),
    /// A pointer.
    Pointer {
        /// The type that it points to.
        pointee: TypeId,
        /// The address space that it points to.
        space: Space,
        /// Whether the pointee is const.
        is_const: bool,
        /// Whether the pointee is volatile.
        is_volatile: bool,
        /// Whether the pointer is restrict.
        is_restrict: bool,
        /// The alignment of the pointee in bytes, if a typedef makes it smaller than that of the type; otherwise 0.
        align: u32,
    },
    /// An array: element type and number of elements.
    Array(TypeId, u64),
    /// `[]` in the inner type of a parameter, or in a declaration whose initializer gives the size; never the
    /// type of an object.
    IncompleteArray(TypeId),
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function {
        /// The type of the result.
        ret: TypeId,
        /// The types of the parameters.
        params: Vec<TypeId>,
    },
    /// An image.
    Image {
        /// The image type.
        dim: ImageDim,
        /// The access qualifier.
        access: ImageAccess,
    },
    /// `sampler_t`.
    Sampler,
    /// `event_t`.
    Event,
    /// A pipe (OpenCL C 2.0, 6.13.16), which only parameters can be.
    Pipe {
        /// The type of the packets.
        packet: TypeId,
        /// Whether the access qualifier is `write_only`; otherwise it is `read_only`.
        write: bool,
    },
    /// A cooperative matrix, which only variables and values of functions can be.
    Matrix(MatrixType),
    /// The result of a function that makes a matrix of any type. A conversion gives it its type (`sema/builtin/matrix`).
    AnyMatrix,
    /// `reserve_id_t`: 0 if the reservation is not valid, otherwise one more than the position of its first packet.
    ReserveId,
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name; `None` for an anonymous struct or union, whose members are accessed as members of the
    /// enclosing one.
    pub name: Option<String>,
    /// The type of the member.
    pub ty: TypeId,
    /// The offset from the start in bytes.
    pub offset: u32,
    /// Whether the member is const.
    pub is_const: bool,
    /// Whether the member is volatile.
    pub is_volatile: bool,
}

/// A struct or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The tag, if there is one.
    pub tag: Option<String>,
    /// Whether this is a union.
    pub is_union: bool,
    /// The members; `None` while the type is only declared.
    pub fields: Option<Vec<Field>>,
    /// The size in bytes, including trailing padding.
    pub size: u32,
    /// The alignment in bytes.
    pub align: u32,
}

/// The table of types.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Map<TypeId, Type>,
    ids: HashMap<Type, TypeId>,
    /// The structs and unions.
    pub records: Map<RecordId, Record>,
}

impl Types {
    /// Returns the id of a type, adding it to the table if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }
    /// Returns the type of an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
    /// Returns a scalar type.
    pub fn scalar(&mut self, s: Scalar) -> TypeId {
        self.intern(Type::Scalar(s))
    }
    /// Returns a vector type, or the scalar type for one lane.
    pub fn vector(&mut self, s: Scalar, lanes: u8) -> TypeId {
        if lanes == 1 {
            self.scalar(s)
        } else {
            self.intern(Type::Vector(s, lanes))
        }
    }
    /// Returns the scalar type and the number of lanes of an arithmetic type.
    pub fn lanes(&self, id: TypeId) -> Option<(Scalar, u8)> {
        match *self.get(id) {
            Type::Scalar(s) => Some((s, 1)),
            Type::Vector(s, n) => Some((s, n)),
            Type::Void
            | Type::Pointer { .. }
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
            | Type::ReserveId => None,
        }
    }
    /// Returns the size in bytes as `sizeof` gives it; a 3-lane vector has the size of a 4-lane one (6.1.5).
    /// Returns `None` for an incomplete type.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        Some(match *self.get(id) {
            Type::Void | Type::IncompleteArray(_) | Type::Function { .. } | Type::AnyMatrix => return None,
            Type::Matrix(_) => u64::from(Matrix::NOMINAL_BYTES),
            Type::Scalar(s) => u64::from(s.bytes()),
            Type::Vector(s, n) => u64::from(s.bytes()) * u64::from(if n == 3 { 4 } else { n }),
            Type::Pointer { .. } | Type::Image { .. } | Type::Sampler | Type::Event | Type::Pipe { .. } => 8,
            Type::ReserveId => 4,
            Type::Array(elem, n) => self.size(elem)?.checked_mul(n)?,
            Type::Record(r) => {
                self.records[r].fields.as_ref()?;
                u64::from(self.records[r].size)
            }
        })
    }
    /// Returns the alignment in bytes of the objects that pointers of a type lead to.
    pub fn pointee_align(&self, pointer: TypeId) -> u32 {
        match *self.get(pointer) {
            Type::Pointer {
                pointee, align: 0, ..
            } => self.align(pointee),
            Type::Pointer { align, .. } => align,
            _ => 1,
        }
    }
    /// Returns the alignment in bytes; vectors are aligned to their size (6.1.5).
    pub fn align(&self, id: TypeId) -> u32 {
        match *self.get(id) {
            Type::Void | Type::Function { .. } | Type::AnyMatrix => 1,
            Type::Matrix(_) => Matrix::NOMINAL_BYTES,
            Type::Scalar(s) => s.bytes(),
            Type::Vector(s, n) => s.bytes() * u32::from(if n == 3 { 4 } else { n }),
            Type::Pointer { .. } | Type::Image { .. } | Type::Sampler | Type::Event | Type::Pipe { .. } => 8,
            Type::ReserveId => 4,
            Type::Array(elem, _) | Type::IncompleteArray(elem) => self.align(elem),
            Type::Record(r) => self.records[r].align,
        }
    }
}
