//! Names, signatures and implementations: one sorted table for each section of the specification.
//!
//! A lookup is a binary search in each; nothing is built at start.

use super::signature::{Access, Domain, Lanes, PointeeTy, Scalars, Sig, SpaceSpec, Ty};
use crate::hir::Space;
use crate::intrinsic::{AtomicOp, Intrinsic, Texel};

mod atomic;
mod common;
mod image;
mod integer;
mod internal;
mod math;
mod relational;
mod subgroup;
mod work;

/// A built-in function.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    /// Empty: the arguments are checked by the code that [`How::Inline`] names.
    pub sigs: &'static [Sig],
    pub how: How,
}

/// How a call is implemented.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// Lane by lane with the library's scalar function `<name>_f` or `_d`; half computes in float unless there
    /// is a `_h`. Pointer parameters are results through private memory.
    Scalar,
    /// The same, but with -cl-fast-relaxed-math and float as the function named.
    Fast(&'static str),
    /// The same, but with -cl-fast-relaxed-math and float as the function named, and half by way of it: its errors are small
    /// beside a half's last place.
    FastHalf(&'static str),
    /// The library's generic function `<name>_<type>`, `_<scalar>`, `_signed`, `_unsigned`, `_fp` or `_any`,
    /// whichever exists first, instantiated for the whole vector type.
    Generic,
    /// The same function under another name.
    Alias(&'static str),
    /// The function of another name as it is without -cl-fast-relaxed-math: that option's table (OpenCL C 3.0) leaves half_
    /// functions their limit.
    Strict(&'static str),
    /// An operation on whole vectors.
    Intrinsic(Intrinsic),
    /// One for each of: signed, unsigned, floating-point.
    ByKind(Intrinsic, Intrinsic, Intrinsic),
    /// Built by `sema::builtin`.
    Inline(Inline),
}

/// Calls that `sema::builtin` builds itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Inline {
    /// Work-item function with a dimension.
    WorkItem(Intrinsic),
    WorkDim,
    Barrier,
    Fence,
    SubgroupBarrier,
    SubgroupVote {
        all: bool,
    },
    /// Signed and unsigned operation on (pointer, value…).
    Atomic(AtomicOp, AtomicOp),
    /// `atomic_inc`, `atomic_dec`: the value is 1.
    AtomicStep(AtomicOp),
    AsyncCopy {
        strided: bool,
    },
    WaitEvents,
    Prefetch,
    Printf,
    Shuffle,
    Shuffle2,
    /// Comparisons of relational functions.
    Compare(Relation),
    /// The argument's lanes' sign bits.
    AnyAll {
        all: bool,
    },
    Select,
    Dot,
    /// `x / y`
    Divide,
    /// The same of a reciprocal.
    Reciprocal,
    /// `x * y`
    Multiply,
    /// `x * y + z`, contraction allowed.
    MultiplyAdd,
    /// `fma`: the target's where that rounds once, else the library's.
    Fma,
    /// Whether the target has a fused multiply-add for T (constant).
    HasFusedFma,
    /// Whether that is one operation (constant).
    HasFastFma,
    /// Whether, besides that, the device's 2^x of T is within 2 ulp (constant).
    HasExp2,
    /// The same of its 1 / sqrt, within 1.5 ulp (constant).
    HasRsqrt,
    /// `x * y + z`: fused where that is one operation, else two roundings.
    LibraryMad,
    /// `upsample`
    Upsample,
    /// Largest lane of a floating-point vector, as a scalar.
    MaxLane,
    /// Constant: `double` exists.
    HasDouble,
    /// `read_image`; half: through float.
    ReadImage(Texel),
    ReadImageHalf,
    WriteImage(Texel),
    WriteImageHalf,
    /// One component of the size of an image.
    ImageExtent(Extent),
    /// `get_image_dim`
    ImageDim,
    /// An intrinsic that takes an image.
    ImageFact(Intrinsic),
    /// 32 bits to two floats' lane 0, and back.
    UnpackHalf,
    PackHalf,
}

/// Components of the size of an image.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    Width,
    Height,
    Depth,
    /// Layers, as `size_t`.
    Layers,
}

/// Two-operand (or one-operand) floating-point predicates.
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
/// Spaces that can be written.
const MUTABLE: &[Space] = &[Space::Private, Space::Local, Space::Global];
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

const TABLES: [&[Row]; 9] = [
    math::ROWS,
    work::ROWS,
    integer::ROWS,
    common::ROWS,
    relational::ROWS,
    atomic::ROWS,
    image::ROWS,
    internal::ROWS,
    subgroup::ROWS,
];

/// Prefix of functions that only the library may call.
pub const INTERNAL_PREFIX: &str = "__caldera_";

/// The row of a name.
pub fn lookup(name: &str) -> Option<&'static Row> {
    TABLES
        .into_iter()
        .find_map(|rows| rows.binary_search_by(|r| r.name.cmp(name)).ok().map(|i| &rows[i]))
}

/// Every row.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::signature::Instance;

    #[test]
    fn tables_are_sorted_and_names_unique() {
        let mut seen = std::collections::HashSet::new();
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
                How::Scalar | How::Generic | How::Intrinsic(_) | How::ByKind(..) | How::Inline(_) => {}
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
