//! The math functions (CL 6.12.2).

use super::*;

/// `native_` functions of one argument, of float and half.
const NATIVE1: &[Sig] = &[sig(
    over(Scalars(Scalars::FLOAT.0 | Scalars::HALF.0), Lanes::ANY),
    Ty::T,
    &[Ty::T],
)];
/// `native_` functions of two arguments, of float and half.
const NATIVE2: &[Sig] = &[sig(
    over(Scalars(Scalars::FLOAT.0 | Scalars::HALF.0), Lanes::ANY),
    Ty::T,
    &[Ty::T, Ty::T],
)];
/// `half_` functions of one argument, which exist for float only.
const HALF1: &[Sig] = &[sig(FLOAT, Ty::T, &[Ty::T])];
/// `half_` functions of two arguments, which exist for float only.
const HALF2: &[Sig] = &[sig(FLOAT, Ty::T, &[Ty::T, Ty::T])];
const TO_INT: &[Sig] = &[sig(FLOATS, Ty::IntN, &[Ty::T])];
/// Signatures with an exponent: an int vector with as many lanes as T, or one int for all lanes.
const WITH_INT: &[Sig] = &[
    sig(FLOATS, Ty::T, &[Ty::T, Ty::IntN]),
    sig(FLOATS_VECTOR, Ty::T, &[Ty::T, Ty::Fixed(crate::hir::Scalar::Int)]),
];
const WITH_INTN: &[Sig] = &[sig(FLOATS, Ty::T, &[Ty::T, Ty::IntN])];
const OUT_T: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Any, Access::Write);
const OUT_INT: Ty = Ty::Ptr(PointeeTy::IntN, SpaceSpec::Any, Access::Write);
const POINTERS: Domain = pointing(Scalars::FLOATS, Lanes::ANY, MUTABLE);
const SPLIT: &[Sig] = &[sig(POINTERS, Ty::T, &[Ty::T, OUT_T])];
const SPLIT_INT: &[Sig] = &[sig(POINTERS, Ty::T, &[Ty::T, OUT_INT])];

const fn intrinsic(i: Intrinsic) -> How {
    How::Intrinsic(i)
}

pub(super) static ROWS: &[Row] = &[
    row("acos", F1, How::Scalar),
    row("acosh", F1, How::Scalar),
    row("acospi", F1, How::Scalar),
    row("asin", F1, How::Scalar),
    row("asinh", F1, How::Scalar),
    row("asinpi", F1, How::Scalar),
    row("atan", F1, How::Scalar),
    row("atan2", F2, How::Fast("__caldera_fast_atan2")),
    row("atan2pi", F2, How::Scalar),
    row("atanh", F1, How::Scalar),
    row("atanpi", F1, How::Scalar),
    row("cbrt", F1, How::Scalar),
    row("ceil", F1, intrinsic(Intrinsic::Ceil)),
    row("copysign", F2, How::Generic),
    row("cos", F1, How::Fast("native_cos")),
    row("cosh", F1, How::Scalar),
    row("cospi", F1, How::Scalar),
    row("erf", F1, How::Scalar),
    row("erfc", F1, How::Scalar),
    row("exp", F1, How::FastHalf("native_exp")),
    row("exp10", F1, How::FastHalf("native_exp10")),
    row("exp2", F1, How::FastHalf("native_exp2")),
    row("expm1", F1, How::Scalar),
    row("fabs", F1, intrinsic(Intrinsic::FAbs)),
    row("fdim", F2, How::Generic),
    row("floor", F1, intrinsic(Intrinsic::Floor)),
    row("fma", F3, How::Generic),
    row("fmax", F2_MIXED, intrinsic(Intrinsic::FMax)),
    row("fmin", F2_MIXED, intrinsic(Intrinsic::FMin)),
    row("fmod", F2, How::Scalar),
    row("fract", SPLIT, How::Scalar),
    row("frexp", SPLIT_INT, How::Scalar),
    row("half_cos", HALF1, How::Strict("cos")),
    row("half_divide", HALF2, How::Inline(Inline::Divide)),
    row("half_exp", HALF1, How::Alias("exp")),
    row("half_exp10", HALF1, How::Alias("exp10")),
    row("half_exp2", HALF1, How::Alias("exp2")),
    row("half_log", HALF1, How::Strict("log")),
    row("half_log10", HALF1, How::Strict("log10")),
    row("half_log2", HALF1, How::Strict("log2")),
    row("half_powr", HALF2, How::Strict("powr")),
    row("half_recip", HALF1, How::Inline(Inline::Reciprocal)),
    row("half_rsqrt", HALF1, intrinsic(Intrinsic::InverseSqrt)),
    row("half_sin", HALF1, How::Strict("sin")),
    row("half_sqrt", HALF1, intrinsic(Intrinsic::Sqrt)),
    row("half_tan", HALF1, How::Strict("tan")),
    row("hypot", F2, How::Scalar),
    row("ilogb", TO_INT, How::Scalar),
    row("ldexp", WITH_INT, How::Scalar),
    row("lgamma", F1, How::Scalar),
    row("lgamma_r", SPLIT_INT, How::Scalar),
    row("log", F1, How::FastHalf("__caldera_fast_log")),
    row("log10", F1, How::FastHalf("native_log10")),
    row("log1p", F1, How::Scalar),
    row("log2", F1, How::FastHalf("native_log2")),
    row("logb", F1, How::Scalar),
    row("mad", F3, How::Inline(Inline::MultiplyAdd)),
    row("maxmag", F2, How::Scalar),
    row("minmag", F2, How::Scalar),
    row("modf", SPLIT, How::Scalar),
    row(
        "nan",
        // T is the result type, which is a floating-point type.
        &[sig(FLOATS, Ty::T, &[Ty::Unsigned])],
        How::Generic,
    ),
    row("native_cos", NATIVE1, intrinsic(Intrinsic::Cos)),
    row("native_divide", NATIVE2, How::Inline(Inline::Divide)),
    row("native_exp", NATIVE1, intrinsic(Intrinsic::Exp)),
    row("native_exp10", NATIVE1, How::Generic),
    row("native_exp2", NATIVE1, intrinsic(Intrinsic::Exp2)),
    row("native_log", NATIVE1, intrinsic(Intrinsic::Log)),
    row("native_log10", NATIVE1, How::Generic),
    row("native_log2", NATIVE1, intrinsic(Intrinsic::Log2)),
    row("native_powr", NATIVE2, intrinsic(Intrinsic::Pow)),
    row("native_recip", NATIVE1, How::Inline(Inline::Reciprocal)),
    row("native_rsqrt", NATIVE1, intrinsic(Intrinsic::InverseSqrt)),
    row("native_sin", NATIVE1, intrinsic(Intrinsic::Sin)),
    row("native_sqrt", NATIVE1, intrinsic(Intrinsic::Sqrt)),
    row("native_tan", NATIVE1, How::Alias("__caldera_fast_tan")),
    row("nextafter", F2, How::Scalar),
    row("pow", F2, How::Fast("__caldera_fast_pow")),
    row("pown", WITH_INTN, How::Scalar),
    row("powr", F2, How::Fast("native_powr")),
    row("remainder", F2, How::Scalar),
    row(
        "remquo",
        &[sig(POINTERS, Ty::T, &[Ty::T, Ty::T, OUT_INT])],
        How::Scalar,
    ),
    row("rint", F1, intrinsic(Intrinsic::RoundEven)),
    row("rootn", WITH_INTN, How::Scalar),
    row("round", F1, How::Generic),
    row("rsqrt", F1, How::Fast("native_rsqrt")),
    row("sin", F1, How::Fast("native_sin")),
    row("sincos", SPLIT, How::Scalar),
    row("sinh", F1, How::Scalar),
    row("sinpi", F1, How::Scalar),
    row("sqrt", F1, How::Fast("native_sqrt")),
    row("tan", F1, How::Fast("__caldera_fast_tan")),
    row("tanh", F1, How::Scalar),
    row("tanpi", F1, How::Scalar),
    row("tgamma", F1, How::Scalar),
    row("trunc", F1, intrinsic(Intrinsic::Trunc)),
];
