//! The names, signatures and implementations of the built-in functions: one sorted table for each section of
//! the specification.
//!
//! A lookup is a binary search in each table; nothing is built at start.

use super::signature::{Access, Domain, Lanes, PointeeTy, Scalars, Sig, SpaceSpec, Ty};
use crate::hir::Space;
use crate::intrinsic::{AtomicOp, DeviceProperty, Intrinsic, Texel};

mod atomic;
mod common;
mod extended;
mod image;
mod integer;
mod internal;
mod later;
mod math;
mod pipe;
mod relational;
mod subgroup;
mod work;

/// A built-in function.
#[derive(Debug)]
pub struct Row {
    /// The function's name.
    pub name: &'static str,
    /// The signatures. If there are none, the code that [`How::Inline`] names checks the arguments.
    pub sigs: &'static [Sig],
    /// The implementation of a call.
    pub how: How,
}

/// The implementation of a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// The call is made lane by lane with the library's scalar function `<name>_f` or `<name>_d`. Half is
    /// computed in float unless there is a `<name>_h`. Pointer parameters are results, which go through
    /// private memory.
    Scalar,
    /// As `Scalar`, except for float with -cl-fast-relaxed-math, which uses the function named here.
    Fast(&'static str),
    /// As `Scalar`, except for float and half with -cl-fast-relaxed-math, which use the float function named
    /// here. Its errors are small compared with the last place of a half.
    FastHalf(&'static str),
    /// The library's generic function `<name>_<type>`, `<name>_<scalar>`, `<name>_signed`, `<name>_unsigned`,
    /// `<name>_fp` or `<name>_any`, whichever exists first, is instantiated for the whole vector type.
    Generic,
    /// The library's function of this name, which is not generic.
    Library(&'static str),
    /// The function is the same as another.
    Alias(&'static str),
    /// The function is the same as another without -cl-fast-relaxed-math: the table of that option (OpenCL C
    /// 2.0) does not relax the error bounds of half_ functions.
    Strict(&'static str),
    /// The function is an operation on whole vectors.
    Intrinsic(Intrinsic),
    /// The function is one of three operations: for signed, unsigned and floating-point types.
    ByKind(Intrinsic, Intrinsic, Intrinsic),
    /// `sema::builtin` builds the call.
    Inline(Inline),
}

/// The implementations that `sema::builtin` builds itself. Variants without a comment implement the functions
/// of the same name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Inline {
    /// A work-item function with a dimension.
    WorkItem(Intrinsic),
    WorkDim,
    Barrier,
    Fence,
    SubgroupBarrier,
    SubgroupBallot,
    /// `work_group_broadcast`, with one to three ids.
    WorkGroupBroadcast,
    /// The size of the largest work-group (a constant).
    WorkGroupSize,
    SubgroupVote {
        all: bool,
    },
    /// The operations for signed and unsigned types, with the arguments (pointer, value…).
    Atomic(AtomicOp, AtomicOp),
    /// `atomic_inc` and `atomic_dec`, whose value is 1.
    AtomicStep(AtomicOp),
    /// An atomic function of OpenCL C 2.0, whose arguments `c11_atomic` checks.
    C11Atomic(C11Atomic),
    /// A function that tells where a generic pointer leads.
    PointerQuery(PointerQuery),
    /// A function of pipes, whose arguments `pipe` checks.
    Pipe(PipeCall),
    WorkItemFence,
    WorkGroupBarrier,
    AsyncCopy {
        strided: bool,
    },
    WaitEvents,
    Prefetch,
    Printf,
    Shuffle,
    Shuffle2,
    /// The comparisons of relational functions.
    Compare(Relation),
    /// A test of the sign bits of the argument's lanes.
    AnyAll {
        all: bool,
    },
    Select,
    Dot,
    /// `x / y`
    Divide,
    /// The reciprocal of the argument.
    Reciprocal,
    /// `x * y` or, with a third argument, `x * y + z`, for which contraction is allowed.
    MultiplyAdd,
    /// Whether the device has a property for T (a condition).
    DeviceHas(DeviceProperty),
    /// `upsample`
    Upsample,
    /// The largest lane of a floating-point vector, as a scalar.
    MaxLane,
    /// `read_imagef`, `read_imagei` or `read_imageui`.
    ReadImage(Texel),
    /// `read_imageh`, which reads float texels and converts them.
    ReadImageHalf,
    /// `write_imagef`, `write_imagei` or `write_imageui`.
    WriteImage(Texel),
    /// `write_imageh`, which converts the texel to float.
    WriteImageHalf,
    /// One component of an image's size.
    ImageExtent(Extent),
    /// `get_image_dim`
    ImageDim,
    /// An intrinsic that takes an image.
    ImageFact(Intrinsic),
    /// The conversion of a half, in the low bits of 32 bits, to float.
    UnpackHalf,
    /// The conversion of a float to a half in the low bits of 32 bits.
    PackHalf,
}

/// The atomic functions of OpenCL C 2.0 (6.13.11), without those that differ only in how they state the memory order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum C11Atomic {
    Init,
    Load,
    Store,
    /// A read-modify-write operation: the one for signed, and the one for unsigned types.
    Fetch(AtomicOp, AtomicOp),
    CompareExchange,
    FlagSet,
    FlagClear,
}

impl C11Atomic {
    /// Returns the number of arguments between the object and the memory order.
    pub fn values(self) -> usize {
        match self {
            C11Atomic::Load | C11Atomic::FlagSet | C11Atomic::FlagClear => 0,
            C11Atomic::Init | C11Atomic::Store | C11Atomic::Fetch(..) => 1,
            C11Atomic::CompareExchange => 2,
        }
    }

    /// Returns whether the object is an `atomic_flag`.
    pub fn is_flag(self) -> bool {
        matches!(self, C11Atomic::FlagSet | C11Atomic::FlagClear)
    }
}

/// The components of an image's size.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    Width,
    Height,
    Depth,
    /// The number of layers, as `size_t`.
    Layers,
}

/// The functions that tell where a generic pointer leads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PointerQuery {
    /// `to_global`, `to_local` or `to_private`: the pointer with that address space, or NULL.
    To(Space),
    /// `get_fence`: the flags of a fence for the memory.
    Fence,
}

/// The functions of pipes (OpenCL C 2.0, 6.13.16).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PipeCall {
    /// `read_pipe` or `write_pipe`, of the next packet or of one in a reservation.
    Access {
        /// Whether it is `write_pipe`.
        write: bool,
    },
    /// A reservation.
    Reserve {
        /// Whether it is for writing.
        write: bool,
        /// The group of work-items that makes it.
        by: Group,
    },
    /// The end of a reservation.
    Commit {
        /// Whether it is for writing.
        write: bool,
    },
    /// `is_valid_reserve_id`
    IsValid,
    /// `get_pipe_num_packets`
    NumPackets,
    /// `get_pipe_max_packets`
    MaxPackets,
}

/// The work-items that make one call together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Group {
    /// A work-item.
    Item,
    /// A sub-group.
    SubGroup,
    /// A work-group.
    WorkGroup,
}

/// The predicates of the relational functions, on two floating-point operands. `Nan` has one operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LessGreater,
    Ordered,
    Unordered,
    Nan,
}

const fn over(scalars: Scalars, lanes: Lanes) -> Domain {
    Domain {
        scalars,
        lanes,
        spaces: &[Space::Private],
    }
}

const fn pointing(scalars: Scalars, lanes: Lanes, spaces: &'static [Space]) -> Domain {
    Domain {
        scalars,
        lanes,
        spaces,
    }
}

const fn sig(domain: Domain, ret: Ty, params: &'static [Ty]) -> Sig {
    Sig { domain, ret, params }
}

const fn row(name: &'static str, sigs: &'static [Sig], how: How) -> Row {
    Row { name, sigs, how }
}

const FLOATS: Domain = over(Scalars::FLOATS, Lanes::ANY);
const FLOAT: Domain = over(Scalars::FLOAT, Lanes::ANY);
const FLOATS_VECTOR: Domain = over(Scalars::FLOATS, Lanes::VECTOR);
const INTEGERS: Domain = over(Scalars::INTEGERS, Lanes::ANY);
const INTEGERS_VECTOR: Domain = over(Scalars::INTEGERS, Lanes::VECTOR);
const ONE: Domain = over(Scalars::NONE, Lanes::SCALAR);
/// The address spaces that can be written. Programs without the generic address space do not have the last one.
const MUTABLE: &[Space] = &[Space::Private, Space::Local, Space::Global, Space::Generic];
const SHARED: &[Space] = &[Space::Global, Space::Local];

/// `T f(T)` for floating-point T.
const F1: &[Sig] = &[sig(FLOATS, Ty::T, &[Ty::T])];
const F2: &[Sig] = &[sig(FLOATS, Ty::T, &[Ty::T, Ty::T])];
const F3: &[Sig] = &[sig(FLOATS, Ty::T, &[Ty::T, Ty::T, Ty::T])];
/// The second operand may be a scalar.
const F2_MIXED: &[Sig] = &[
    sig(FLOATS, Ty::T, &[Ty::T, Ty::T]),
    sig(FLOATS_VECTOR, Ty::T, &[Ty::T, Ty::Elem]),
];
const I1: &[Sig] = &[sig(INTEGERS, Ty::T, &[Ty::T])];
const I2: &[Sig] = &[sig(INTEGERS, Ty::T, &[Ty::T, Ty::T])];
const I3: &[Sig] = &[sig(INTEGERS, Ty::T, &[Ty::T, Ty::T, Ty::T])];

const TABLES: [&[Row]; 12] = [
    math::ROWS,
    work::ROWS,
    integer::ROWS,
    common::ROWS,
    pipe::ROWS,
    relational::ROWS,
    atomic::ROWS,
    image::ROWS,
    internal::ROWS,
    subgroup::ROWS,
    later::ROWS,
    extended::ROWS,
];

/// The prefix of functions that only the library may call.
pub const INTERNAL_PREFIX: &str = "__caldera_";

/// Returns the row of a name.
pub fn lookup(name: &str) -> Option<&'static Row> {
    TABLES
        .into_iter()
        .find_map(|rows| rows.binary_search_by(|r| r.name.cmp(name)).ok().map(|i| &rows[i]))
}

/// Returns whether a function came with OpenCL C 2.0.
pub fn is_later(name: &str) -> bool {
    [later::ROWS, pipe::ROWS]
        .iter()
        .any(|rows| rows.binary_search_by(|r| r.name.cmp(name)).is_ok())
}

/// Returns all rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::signature::Instance;

    #[test]
    fn tables_are_sorted_and_names_unique() {
        let mut seen = crate::hash::HashSet::default();
        for rows in TABLES {
            for pair in rows.windows(2) {
                assert!(
                    pair[0].name < pair[1].name,
                    "{} before {}",
                    pair[0].name,
                    pair[1].name
                );
            }
            for r in rows {
                assert!(seen.insert(r.name), "{} twice", r.name);
            }
        }
    }

    #[test]
    fn every_row_is_found() {
        for r in rows() {
            assert!(std::ptr::eq(lookup(r.name).unwrap(), r), "{}", r.name);
        }
        assert!(lookup("sine").is_none());
    }

    #[test]
    fn aliases_and_fast_forms_exist() {
        for r in rows() {
            match r.how {
                How::Fast(to) | How::FastHalf(to) | How::Alias(to) | How::Strict(to) => {
                    assert!(lookup(to).is_some(), "{} names {to}", r.name);
                }
                How::Scalar
                | How::Generic
                | How::Library(_)
                | How::Intrinsic(_)
                | How::ByKind(..)
                | How::Inline(_) => {}
            }
        }
    }

    #[test]
    fn signatures_expand_to_the_specifications_overloads() {
        let decls = |name: &str| -> Vec<String> {
            lookup(name)
                .unwrap()
                .sigs
                .iter()
                .flat_map(Instance::all)
                .map(|i| i.declaration(name))
                .collect()
        };
        assert_eq!(decls("sin").len(), 18);
        assert!(decls("fmax").contains(&"float4 fmax(float4, float)".to_string()));
        assert!(decls("ldexp").contains(&"double3 ldexp(double3, int)".to_string()));
        assert!(decls("fract").contains(&"float2 fract(float2, __local float2 *)".to_string()));
        assert!(decls("upsample").contains(&"short4 upsample(char4, uchar4)".to_string()));
        assert!(decls("select").contains(&"float2 select(float2, float2, uint2)".to_string()));
        assert!(decls("isequal").contains(&"int isequal(double, double)".to_string()));
        assert!(decls("isequal").contains(&"long2 isequal(double2, double2)".to_string()));
        assert_eq!(decls("get_work_dim"), ["uint get_work_dim(void)"]);
    }
}
