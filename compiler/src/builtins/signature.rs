//! Generic signatures: those that OpenCL's specification writes with `gentype`.

use crate::hir::ty::ImageDim;
use crate::hir::{Scalar, Space};

/// A set of scalar types.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Scalars(pub u16);

const fn bit(s: Scalar) -> u16 {
    1 << s as u16
}

impl Scalars {
    /// The set for signatures without a generic type.
    pub const NONE: Scalars = Scalars(bit(Scalar::Int));
    /// `int`.
    pub const INT: Scalars = Scalars(bit(Scalar::Int));
    /// `uint`.
    pub const UINT: Scalars = Scalars(bit(Scalar::UInt));
    /// `long`.
    pub const LONG: Scalars = Scalars(bit(Scalar::Long));
    /// `ulong`.
    pub const ULONG: Scalars = Scalars(bit(Scalar::ULong));
    /// `half`.
    pub const HALF: Scalars = Scalars(bit(Scalar::Half));
    /// `float`.
    pub const FLOAT: Scalars = Scalars(bit(Scalar::Float));
    /// `double`.
    pub const DOUBLE: Scalars = Scalars(bit(Scalar::Double));
    /// The integers of 32 bits.
    pub const INT32: Scalars = Scalars::INT.or(Scalars::UINT);
    /// The integers of 64 bits.
    pub const INT64: Scalars = Scalars::LONG.or(Scalars::ULONG);
    /// The signed integers.
    pub const SIGNED: Scalars =
        Scalars(bit(Scalar::Char) | bit(Scalar::Short) | bit(Scalar::Int) | bit(Scalar::Long));
    /// The unsigned integers.
    pub const UNSIGNED: Scalars =
        Scalars(bit(Scalar::UChar) | bit(Scalar::UShort) | bit(Scalar::UInt) | bit(Scalar::ULong));
    /// All integers.
    pub const INTEGERS: Scalars = Scalars::SIGNED.or(Scalars::UNSIGNED);
    /// The floating-point types.
    pub const FLOATS: Scalars = Scalars::HALF.or(Scalars::FLOAT).or(Scalars::DOUBLE);
    /// All scalar types.
    pub const ALL: Scalars = Scalars::INTEGERS.or(Scalars::FLOATS);

    /// Returns the union of two sets.
    pub const fn or(self, other: Scalars) -> Scalars {
        Scalars(self.0 | other.0)
    }

    /// Returns whether the set contains a type.
    pub fn contains(self, s: Scalar) -> bool {
        self.0 & bit(s) != 0
    }

    /// Returns the members in the order of [`Scalar`].
    pub fn iter(self) -> impl Iterator<Item = Scalar> {
        ALL_SCALARS.into_iter().filter(move |&s| self.contains(s))
    }
}

/// The scalar types that generic types range over.
pub const ALL_SCALARS: [Scalar; 11] = [
    Scalar::Char,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Half,
    Scalar::Float,
    Scalar::Double,
];

/// The possible numbers of lanes; 1 means a scalar.
pub const LANES: [u8; 6] = [1, 2, 3, 4, 8, 16];

/// A set of numbers of lanes: bit i stands for `LANES[i]`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Lanes(pub u8);

impl Lanes {
    /// A scalar.
    pub const SCALAR: Lanes = Lanes(1);
    /// All vectors.
    pub const VECTOR: Lanes = Lanes(0b11_1110);
    /// A scalar or any vector.
    pub const ANY: Lanes = Lanes(0b11_1111);
    /// 1 to 4 lanes.
    pub const SHORT: Lanes = Lanes(0b1111);
    /// 3 and 4 lanes.
    pub const CROSS: Lanes = Lanes(0b1100);

    /// Returns the set with a single number, which must be one of [`LANES`].
    pub fn exactly(n: u8) -> Lanes {
        Lanes(LANES.iter().position(|&l| l == n).map_or(0, |i| 1 << i))
    }

    /// Returns the members.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        LANES
            .into_iter()
            .enumerate()
            .filter(move |(i, _)| self.0 >> i & 1 != 0)
            .map(|(_, n)| n)
    }
}

/// The domain of a signature: the types for the generic type `T`, and the address spaces of its pointers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// The scalar types of `T`.
    pub scalars: Scalars,
    /// The numbers of lanes of `T`.
    pub lanes: Lanes,
    /// The address spaces of pointers.
    pub spaces: &'static [Space],
}

/// The address space of a pointer parameter.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpaceSpec {
    /// Any of the domain's address spaces.
    Any,
    /// Only this address space.
    Only(Space),
}

/// The access to a pointer parameter's pointee.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// The function only reads, so the pointee may be `const`.
    Read,
    /// The function writes.
    Write,
}

/// The pointee of a pointer parameter.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PointeeTy {
    T,
    Elem,
    IntN,
    Half,
    Event,
}

/// A type in a generic signature.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Void,
    /// The generic type.
    T,
    /// The element type of T.
    Elem,
    /// `int`, with as many lanes as T.
    IntN,
    /// Signed integers with T's width and number of lanes.
    Signed,
    /// Unsigned integers with T's width and number of lanes.
    Unsigned,
    /// The result of a relational function: `int` for a scalar, otherwise `Signed`.
    Relation,
    /// Integers of twice T's width.
    Wide,
    /// This scalar type.
    Fixed(Scalar),
    Event,
    /// A pointer: its pointee, its address space, and the access to the pointee.
    Ptr(PointeeTy, SpaceSpec, Access),
    /// A vector with a fixed number of lanes.
    Vector(Scalar, u8),
    /// An image; `true` means write_only.
    Image(ImageDim, bool),
    Sampler,
}

/// A generic signature.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sig {
    /// The domain of the signature.
    pub domain: Domain,
    /// The result type.
    pub ret: Ty,
    /// The parameters' types.
    pub params: &'static [Ty],
}

/// A signature with a choice of the generic type and of the address space.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The generic signature.
    pub sig: &'static Sig,
    /// The scalar type of `T`.
    pub scalar: Scalar,
    /// The number of lanes of `T`.
    pub lanes: u8,
    /// The address space of pointers.
    pub space: Space,
}

/// Returns the signed integer type of the same width.
pub fn signed_of(s: Scalar) -> Scalar {
    match s.bytes() {
        1 => Scalar::Char,
        2 => Scalar::Short,
        4 => Scalar::Int,
        _ => Scalar::Long,
    }
}

/// Returns the unsigned integer type of the same width.
pub fn unsigned_of(s: Scalar) -> Scalar {
    match s.bytes() {
        1 => Scalar::UChar,
        2 => Scalar::UShort,
        4 => Scalar::UInt,
        _ => Scalar::ULong,
    }
}

/// Returns the integer type of the same signedness and twice the width; 64 bits stay 64 bits.
pub fn wide_of(s: Scalar) -> Scalar {
    match s {
        Scalar::Char => Scalar::Short,
        Scalar::Bool | Scalar::UChar => Scalar::UShort,
        Scalar::Short => Scalar::Int,
        Scalar::UShort => Scalar::UInt,
        Scalar::Int | Scalar::Long => Scalar::Long,
        Scalar::UInt | Scalar::ULong => Scalar::ULong,
        Scalar::Half | Scalar::Float | Scalar::Double => s,
    }
}

/// The type of a parameter or result of an [`Instance`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Concrete {
    Void,
    /// A scalar (one lane) or vector.
    Arith(Scalar, u8),
    Event,
    Ptr(PointeeConcrete, Space, Access),
    /// An image; `true` means write_only.
    Image(ImageDim, bool),
    Sampler,
}

/// The pointee of a concrete pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PointeeConcrete {
    Arith(Scalar, u8),
    Event,
}

impl Instance {
    /// Returns all instances of a signature.
    pub fn all(sig: &'static Sig) -> impl Iterator<Item = Instance> {
        let d = sig.domain;
        d.scalars.iter().flat_map(move |scalar| {
            d.lanes.iter().flat_map(move |lanes| {
                d.spaces.iter().map(move |&space| Instance {
                    sig,
                    scalar,
                    lanes,
                    space,
                })
            })
        })
    }

    /// Returns the concrete type for a type of the signature.
    pub fn concrete(&self, ty: Ty) -> Concrete {
        let (s, n) = (self.scalar, self.lanes);
        match ty {
            Ty::Void => Concrete::Void,
            Ty::T => Concrete::Arith(s, n),
            Ty::Elem => Concrete::Arith(s, 1),
            Ty::IntN => Concrete::Arith(Scalar::Int, n),
            Ty::Signed => Concrete::Arith(signed_of(s), n),
            Ty::Unsigned => Concrete::Arith(unsigned_of(s), n),
            Ty::Relation if n == 1 => Concrete::Arith(Scalar::Int, 1),
            Ty::Relation => Concrete::Arith(signed_of(s), n),
            Ty::Wide => Concrete::Arith(wide_of(s), n),
            Ty::Fixed(s) => Concrete::Arith(s, 1),
            Ty::Event => Concrete::Event,
            Ty::Vector(s, n) => Concrete::Arith(s, n),
            Ty::Image(dim, write) => Concrete::Image(dim, write),
            Ty::Sampler => Concrete::Sampler,
            Ty::Ptr(to, space, access) => {
                let space = match space {
                    SpaceSpec::Any => self.space,
                    SpaceSpec::Only(space) => space,
                };
                let to = match to {
                    PointeeTy::T => PointeeConcrete::Arith(s, n),
                    PointeeTy::Elem => PointeeConcrete::Arith(s, 1),
                    PointeeTy::IntN => PointeeConcrete::Arith(Scalar::Int, n),
                    PointeeTy::Half => PointeeConcrete::Arith(Scalar::Half, 1),
                    PointeeTy::Event => PointeeConcrete::Event,
                };
                Concrete::Ptr(to, space, access)
            }
        }
    }

    /// Returns whether a parameter or the result has this scalar type.
    pub fn uses(&self, wanted: Scalar) -> bool {
        let value = |c: Concrete| matches!(c, Concrete::Arith(s, _) | Concrete::Ptr(PointeeConcrete::Arith(s, _), ..) if s == wanted);
        value(self.concrete(self.sig.ret)) || self.sig.params.iter().any(|&p| value(self.concrete(p)))
    }

    /// Returns the instance as a declaration in OpenCL C.
    pub fn declaration(&self, name: &str) -> String {
        let params: Vec<String> = self
            .sig
            .params
            .iter()
            .map(|&p| self.concrete(p).to_string())
            .collect();
        format!(
            "{} {name}({})",
            self.concrete(self.sig.ret),
            if params.is_empty() {
                "void".into()
            } else {
                params.join(", ")
            }
        )
    }
}

fn arith_name(s: Scalar, n: u8) -> String {
    if n == 1 {
        s.name().into()
    } else {
        format!("{}{n}", s.name())
    }
}

impl std::fmt::Display for Concrete {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Concrete::Void => f.write_str("void"),
            Concrete::Arith(s, n) => f.write_str(&arith_name(s, n)),
            Concrete::Event => f.write_str("event_t"),
            Concrete::Image(dim, write) => {
                let access = if write { "__write_only" } else { "__read_only" };
                write!(f, "{access} {}", dim.name())
            }
            Concrete::Sampler => f.write_str("sampler_t"),
            Concrete::Ptr(to, space, access) => {
                let space = match space {
                    Space::Private => "__private",
                    Space::Local => "__local",
                    Space::Global => "__global",
                    Space::Constant => "__constant",
                    Space::Generic => "__generic",
                };
                let to = match to {
                    PointeeConcrete::Arith(s, n) => arith_name(s, n),
                    PointeeConcrete::Event => "event_t".into(),
                };
                let qual = match access {
                    Access::Read if space != "__constant" => "const ",
                    Access::Read | Access::Write => "",
                };
                write!(f, "{space} {qual}{to} *")
            }
        }
    }
}
