//! The types of values.

/// Address spaces (OpenCL 1.2 6.5), and the spaces that kernel arguments are lowered to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AddressSpace {
    Private,
    Local,
    Global,
    Constant,
    /// The push-constant block; offsets are absolute. `lower_kernel_args` creates such pointers.
    Push,
    /// The argument buffer of each launch (a uniform or storage buffer). `lower_kernel_args` creates such
    /// pointers.
    Args,
    /// Private, local or global memory (OpenCL 3.0 C 6.7.4). A pointer to it is a number of 64 bits with the
    /// space in its upper bits: [`AddressSpace::tag`]. `lower_generic` turns such pointers into numbers.
    Generic,
}

/// The number of bits of a generic pointer below its tag. No device has addresses of more bits, and the tags
/// of the spaces differ from the sign extension of an address.
pub const TAG_SHIFT: u32 = 60;

impl AddressSpace {
    /// The spaces whose memory generic pointers can lead to.
    pub const IN_GENERIC: [AddressSpace; 3] =
        [AddressSpace::Private, AddressSpace::Local, AddressSpace::Global];

    /// Returns the upper bits of a generic pointer to this space, which are 0 for a null pointer of any space.
    /// A pointer to global memory is its address, whose upper bits are neither of the other tags.
    pub fn tag(self) -> u64 {
        match self {
            AddressSpace::Local => 1,
            AddressSpace::Private => 2,
            AddressSpace::Global
            | AddressSpace::Constant
            | AddressSpace::Push
            | AddressSpace::Args
            | AddressSpace::Generic => 0,
        }
    }

    /// Returns the bits of a generic pointer to what a pointer of this space with these bits leads to.
    pub fn to_generic(self, bits: u64) -> u64 {
        if bits == 0 {
            0
        } else {
            bits | self.tag() << TAG_SHIFT
        }
    }
}

/// Returns the bits of a generic pointer without the tag of a space.
pub fn untagged(generic: u64) -> u64 {
    let tag = generic >> TAG_SHIFT;
    if tag == AddressSpace::Local.tag() || tag == AddressSpace::Private.tag() {
        generic & ((1 << TAG_SHIFT) - 1)
    } else {
        generic
    }
}

/// Scalar types. Integers are signless; pointers are opaque.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// The result of comparisons; it has no memory representation.
    Bool,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Ptr(AddressSpace),
    /// Opaque handles of an image or sampler argument. They are passed only to image intrinsics.
    Image,
    Sampler,
    /// A cooperative matrix (SPV_KHR_cooperative_matrix). Only matrix intrinsics, the control flow and accesses of
    /// private memory have such values.
    Matrix(Matrix),
}

/// The type of a cooperative matrix, whose components are distributed over the work-items of a sub-group.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Matrix {
    /// The type of the components.
    pub component: Component,
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
    /// The operand of the product that it can be.
    pub role: MatrixUse,
}

/// The type of a matrix's components: an integer or a float.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Component {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Component {
    /// All component types.
    pub const ALL: [Component; 7] = [
        Component::I8,
        Component::I16,
        Component::I32,
        Component::I64,
        Component::F16,
        Component::F32,
        Component::F64,
    ];

    /// Returns the type of one component.
    pub const fn scalar(self) -> Scalar {
        match self {
            Component::I8 => Scalar::I8,
            Component::I16 => Scalar::I16,
            Component::I32 => Scalar::I32,
            Component::I64 => Scalar::I64,
            Component::F16 => Scalar::F16,
            Component::F32 => Scalar::F32,
            Component::F64 => Scalar::F64,
        }
    }

    /// Returns the component type that a scalar type is.
    pub fn of(scalar: Scalar) -> Option<Component> {
        Component::ALL.into_iter().find(|c| c.scalar() == scalar)
    }
}

/// The operand of A × B + C that a matrix can be (SPIR-V's Cooperative Matrix Use). The numbers are SPIR-V's.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MatrixUse {
    A = 0,
    B = 1,
    Accumulator = 2,
}

impl MatrixUse {
    /// Returns the name of the use in OpenCL C.
    pub fn macro_name(self) -> &'static str {
        match self {
            MatrixUse::A => "CLK_COOPERATIVE_MATRIX_A",
            MatrixUse::B => "CLK_COOPERATIVE_MATRIX_B",
            MatrixUse::Accumulator => "CLK_COOPERATIVE_MATRIX_ACCUMULATOR",
        }
    }

    /// Returns the use with this number.
    pub fn from_number(number: u64) -> Option<MatrixUse> {
        [MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator]
            .into_iter()
            .find(|u| *u as u64 == number)
    }
}

impl Matrix {
    /// The bytes that a matrix counts for in private memory. The number only tells the elements of an array of
    /// matrices apart; how large they are is the driver's choice.
    pub const NOMINAL_BYTES: u32 = 16;

    /// Returns the type of one component.
    pub const fn scalar(self) -> Scalar {
        self.component.scalar()
    }

    /// Returns whether another matrix has the same rows, columns and use, so that conversions between both exist.
    pub fn has_shape_of(self, other: Matrix) -> bool {
        (self.rows, self.columns, self.role) == (other.rows, other.columns, other.role)
    }
}

impl Scalar {
    /// Returns the size in memory in bytes; 0 for types without a memory representation. Pointers have 8
    /// bytes everywhere.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::Image | Scalar::Sampler => 0,
            Scalar::I8 => 1,
            Scalar::I16 | Scalar::F16 => 2,
            Scalar::I32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::F64 | Scalar::Ptr(_) => 8,
            Scalar::Matrix(_) => Matrix::NOMINAL_BYTES,
        }
    }
    /// Returns the number of bits of an integer, float or Bool. For an image, sampler or matrix, it is the number of
    /// bits of a constant of the type; all components of a constant matrix are equal.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Image | Scalar::Sampler => 32,
            Scalar::Matrix(m) => m.scalar().bits(),
            _ => self.bytes() * 8,
        }
    }
    /// Returns whether it is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }
    /// Returns whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }
    /// Returns whether it is a pointer type.
    pub fn is_ptr(self) -> bool {
        matches!(self, Scalar::Ptr(_))
    }
    /// Returns the matrix type that it is.
    pub fn matrix(self) -> Option<Matrix> {
        match self {
            Scalar::Matrix(m) => Some(m),
            _ => None,
        }
    }
    /// Returns the integer type with 8, 16, 32 or 64 bits.
    pub fn int(bits: u32) -> Scalar {
        match bits {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            _ => Scalar::I64,
        }
    }
}

/// A value's type: a scalar, or a vector of 2, 3, 4, 8 or 16 lanes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty {
    /// The type of each lane.
    pub scalar: Scalar,
    /// The number of lanes; 1 for a scalar.
    pub lanes: u8,
}

impl Ty {
    pub const BOOL: Ty = Ty::of(Scalar::Bool);
    pub const I8: Ty = Ty::of(Scalar::I8);
    pub const I16: Ty = Ty::of(Scalar::I16);
    pub const I32: Ty = Ty::of(Scalar::I32);
    pub const I64: Ty = Ty::of(Scalar::I64);
    pub const F16: Ty = Ty::of(Scalar::F16);
    pub const F32: Ty = Ty::of(Scalar::F32);
    pub const F64: Ty = Ty::of(Scalar::F64);

    /// Returns a scalar type.
    pub const fn of(scalar: Scalar) -> Ty {
        Ty { scalar, lanes: 1 }
    }
    /// Returns a vector type, or the scalar type for one lane.
    pub const fn vector(scalar: Scalar, lanes: u8) -> Ty {
        Ty { scalar, lanes }
    }
    /// Returns a pointer type.
    pub const fn ptr(space: AddressSpace) -> Ty {
        Ty::of(Scalar::Ptr(space))
    }
    /// Returns the type with the same number of lanes and another scalar.
    pub const fn with_scalar(self, scalar: Scalar) -> Ty {
        Ty {
            scalar,
            lanes: self.lanes,
        }
    }
    /// Returns whether it is a vector type.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }
    /// Returns the bytes that a load or store of this type accesses. A vector with 3 lanes accesses three
    /// scalars.
    pub fn bytes(self) -> u32 {
        self.scalar.bytes() * u32::from(self.lanes)
    }
    /// Returns the address space of a pointer.
    pub fn space(self) -> Option<AddressSpace> {
        match self.scalar {
            Scalar::Ptr(space) => Some(space),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::F16
            | Scalar::F32
            | Scalar::F64
            | Scalar::Image
            | Scalar::Sampler
            | Scalar::Matrix(_) => None,
        }
    }
}

/// The difference between a local pointer's number (in memory, or as a constant's bits) and its byte offset
/// in the work-group's arena. Offset 0 is a valid object, so its number must differ from the null pointer's,
/// which is 0. The bias is a multiple of every alignment. A pointer to arena offset x is `ptr_add` of the
/// constant with these bits and x.
pub const LOCAL_POINTER_BIAS: u32 = 0x1000_0000;
