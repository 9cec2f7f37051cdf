//! Functions that only the library's own code may call. There is one for each intrinsic that the library
//! needs and that has no OpenCL name, and there are questions about the device, which `select_arithmetic` answers.

use super::*;
use crate::intrinsic::DotSigns;

const UINT: Ty = Ty::Fixed(crate::hir::Scalar::UInt);
const INT: Ty = Ty::Fixed(crate::hir::Scalar::Int);

/// A question about the type of the argument.
const PROPERTY: &[Sig] = &[sig(FLOATS, Ty::Fixed(crate::hir::Scalar::Bool), &[Ty::T])];

const fn has(what: DeviceProperty) -> How {
    How::Inline(Inline::DeviceHas(what))
}

pub(super) static ROWS: &[Row] = &[
    row(
        "__caldera_dot_acc_sat_s",
        &[sig(ONE, INT, &[UINT, UINT, INT])],
        How::Intrinsic(Intrinsic::PackedDotAccSat(DotSigns::Signed)),
    ),
    row(
        "__caldera_dot_acc_sat_su",
        &[sig(ONE, INT, &[UINT, UINT, INT])],
        How::Intrinsic(Intrinsic::PackedDotAccSat(DotSigns::Mixed)),
    ),
    row(
        "__caldera_dot_acc_sat_u",
        &[sig(ONE, UINT, &[UINT, UINT, UINT])],
        How::Intrinsic(Intrinsic::PackedDotAccSat(DotSigns::Unsigned)),
    ),
    row(
        "__caldera_dot_s",
        &[sig(ONE, INT, &[UINT, UINT])],
        How::Intrinsic(Intrinsic::PackedDot(DotSigns::Signed)),
    ),
    row(
        "__caldera_dot_su",
        &[sig(ONE, INT, &[UINT, UINT])],
        How::Intrinsic(Intrinsic::PackedDot(DotSigns::Mixed)),
    ),
    row(
        "__caldera_dot_u",
        &[sig(ONE, UINT, &[UINT, UINT])],
        How::Intrinsic(Intrinsic::PackedDot(DotSigns::Unsigned)),
    ),
    row("__caldera_exp", F1, How::Intrinsic(Intrinsic::Exp)),
    row("__caldera_exp2", F1, How::Intrinsic(Intrinsic::Exp2)),
    row("__caldera_fast_atan2", F2, How::Scalar),
    row("__caldera_fast_log", F1, How::Scalar),
    row("__caldera_fast_pow", F2, How::Scalar),
    row("__caldera_fast_tan", F1, How::Scalar),
    row("__caldera_fma", F3, How::Intrinsic(Intrinsic::Fma)),
    row(
        "__caldera_has_dot_acc_sat_s",
        PROPERTY,
        has(DeviceProperty::SignedSaturatingDot),
    ),
    row(
        "__caldera_has_dot_acc_sat_su",
        PROPERTY,
        has(DeviceProperty::MixedSaturatingDot),
    ),
    row(
        "__caldera_has_dot_acc_sat_u",
        PROPERTY,
        has(DeviceProperty::UnsignedSaturatingDot),
    ),
    row("__caldera_has_dot_s", PROPERTY, has(DeviceProperty::SignedDot)),
    row("__caldera_has_dot_su", PROPERTY, has(DeviceProperty::MixedDot)),
    row("__caldera_has_dot_u", PROPERTY, has(DeviceProperty::UnsignedDot)),
    row("__caldera_has_doubles", PROPERTY, has(DeviceProperty::Doubles)),
    row("__caldera_has_exp2", PROPERTY, has(DeviceProperty::Exp2)),
    row("__caldera_has_fast_fma", PROPERTY, has(DeviceProperty::FastFma)),
    row("__caldera_has_fused_fma", PROPERTY, has(DeviceProperty::FusedFma)),
    row("__caldera_has_rsqrt", PROPERTY, has(DeviceProperty::Rsqrt)),
    row("__caldera_log", F1, How::Intrinsic(Intrinsic::Log)),
    row("__caldera_log2", F1, How::Intrinsic(Intrinsic::Log2)),
    row("__caldera_mad", F3, How::Intrinsic(Intrinsic::MultiplyAdd)),
    row(
        "__caldera_max_lane",
        &[sig(FLOATS, Ty::Elem, &[Ty::T])],
        How::Inline(Inline::MaxLane),
    ),
    row(
        "__caldera_mul_high",
        &[sig(over(Scalars::INTEGERS, Lanes::ANY), Ty::T, &[Ty::T, Ty::T])],
        How::ByKind(Intrinsic::SMulHigh, Intrinsic::UMulHigh, Intrinsic::UMulHigh),
    ),
    row(
        "__caldera_pack_half",
        &[sig(
            ONE,
            Ty::Fixed(crate::hir::Scalar::UInt),
            &[Ty::Fixed(crate::hir::Scalar::Float)],
        )],
        How::Inline(Inline::PackHalf),
    ),
    row("__caldera_round_fma", F3, How::Strict("fma")),
    row("__caldera_rsqrt", F1, How::Intrinsic(Intrinsic::InverseSqrt)),
    row("__caldera_sqrt", F1, How::Intrinsic(Intrinsic::Sqrt)),
    row("__caldera_tan", F1, How::Intrinsic(Intrinsic::Tan)),
    row(
        "__caldera_unpack_half",
        &[sig(
            ONE,
            Ty::Fixed(crate::hir::Scalar::Float),
            &[Ty::Fixed(crate::hir::Scalar::UInt)],
        )],
        How::Inline(Inline::UnpackHalf),
    ),
    row(
        "__caldera_work_group_size",
        &[sig(ONE, Ty::Fixed(crate::hir::Scalar::Int), &[])],
        How::Inline(Inline::WorkGroupSize),
    ),
];
