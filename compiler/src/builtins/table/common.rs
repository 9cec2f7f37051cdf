//! Common functions (6.12.4), geometric functions (6.12.5), and `min`, `max`, `clamp` of integers (6.12.3).

use super::*;
use crate::hir::Scalar;

const SHORT_FLOATS: Domain = over(Scalars::FLOATS, Lanes::SHORT);
const SHORT_FLOAT: Domain = over(Scalars(Scalars::FLOAT.0 | Scalars::HALF.0), Lanes::SHORT);
const MIN_MAX: &[Sig] = &[
    sig(FLOATS, Ty::T, &[Ty::T, Ty::T]),
    sig(FLOATS_VECTOR, Ty::T, &[Ty::T, Ty::Elem]),
    sig(INTEGERS, Ty::T, &[Ty::T, Ty::T]),
    sig(INTEGERS_VECTOR, Ty::T, &[Ty::T, Ty::Elem]),
];

const UINT: Ty = Ty::Fixed(Scalar::UInt);
const INT: Ty = Ty::Fixed(Scalar::Int);
const U4: Ty = Ty::Vector(Scalar::UChar, 4);
const S4: Ty = Ty::Vector(Scalar::Char, 4);

pub(super) static ROWS: &[Row] = &[
    row(
        "clamp",
        &[
            sig(FLOATS, Ty::T, &[Ty::T, Ty::T, Ty::T]),
            sig(FLOATS_VECTOR, Ty::T, &[Ty::T, Ty::Elem, Ty::Elem]),
            sig(INTEGERS, Ty::T, &[Ty::T, Ty::T, Ty::T]),
            sig(INTEGERS_VECTOR, Ty::T, &[Ty::T, Ty::Elem, Ty::Elem]),
        ],
        How::Generic,
    ),
    row(
        "cross",
        &[sig(over(Scalars::FLOATS, Lanes::CROSS), Ty::T, &[Ty::T, Ty::T])],
        How::Generic,
    ),
    row("degrees", F1, How::Generic),
    row(
        "distance",
        &[sig(SHORT_FLOATS, Ty::Elem, &[Ty::T, Ty::T])],
        How::Generic,
    ),
    row(
        "dot",
        &[
            sig(SHORT_FLOATS, Ty::Elem, &[Ty::T, Ty::T]),
            // cl_khr_integer_dot_product.
            sig(ONE, UINT, &[U4, U4]),
            sig(ONE, INT, &[S4, S4]),
            sig(ONE, INT, &[U4, S4]),
            sig(ONE, INT, &[S4, U4]),
        ],
        How::Inline(Inline::Dot),
    ),
    row(
        "fast_distance",
        &[sig(SHORT_FLOAT, Ty::Elem, &[Ty::T, Ty::T])],
        How::Generic,
    ),
    row(
        "fast_length",
        &[sig(SHORT_FLOAT, Ty::Elem, &[Ty::T])],
        How::Generic,
    ),
    row(
        "fast_normalize",
        &[sig(SHORT_FLOAT, Ty::T, &[Ty::T])],
        How::Generic,
    ),
    row("length", &[sig(SHORT_FLOATS, Ty::Elem, &[Ty::T])], How::Generic),
    row(
        "max",
        MIN_MAX,
        How::ByKind(Intrinsic::SMax, Intrinsic::UMax, Intrinsic::FMax),
    ),
    row(
        "min",
        MIN_MAX,
        How::ByKind(Intrinsic::SMin, Intrinsic::UMin, Intrinsic::FMin),
    ),
    row(
        "mix",
        &[
            sig(FLOATS, Ty::T, &[Ty::T, Ty::T, Ty::T]),
            sig(FLOATS_VECTOR, Ty::T, &[Ty::T, Ty::T, Ty::Elem]),
        ],
        How::Generic,
    ),
    row("normalize", &[sig(SHORT_FLOATS, Ty::T, &[Ty::T])], How::Generic),
    row("radians", F1, How::Generic),
    row("sign", F1, How::Generic),
    row(
        "smoothstep",
        &[
            sig(FLOATS, Ty::T, &[Ty::T, Ty::T, Ty::T]),
            sig(FLOATS_VECTOR, Ty::T, &[Ty::Elem, Ty::Elem, Ty::T]),
        ],
        How::Generic,
    ),
    row(
        "step",
        &[
            sig(FLOATS, Ty::T, &[Ty::T, Ty::T]),
            sig(FLOATS_VECTOR, Ty::T, &[Ty::Elem, Ty::T]),
        ],
        How::Generic,
    ),
];
