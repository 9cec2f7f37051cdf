//! The integer functions (CL 6.12.3).

use super::*;

/// The types of the 24-bit functions, which exist only for 32-bit integers.
const I24: Domain = over(Scalars::INT32, Lanes::ANY);
const SHIFT: &[Sig] = I2;
/// The types of the high half that `upsample` joins with an unsigned low half. They have at most 32 bits.
const NARROW: Domain = over(Scalars(Scalars::INTEGERS.0 & !Scalars::INT64.0), Lanes::ANY);

pub(super) static ROWS: &[Row] = &[
    row("abs", &[sig(INTEGERS, Ty::Unsigned, &[Ty::T])], How::Generic),
    row(
        "abs_diff",
        &[sig(INTEGERS, Ty::Unsigned, &[Ty::T, Ty::T])],
        How::Generic,
    ),
    row("add_sat", I2, How::Generic),
    row("clz", I1, How::Intrinsic(Intrinsic::Clz)),
    row("ctz", I1, How::Intrinsic(Intrinsic::Ctz)),
    row("hadd", I2, How::Generic),
    row(
        "mad24",
        &[sig(I24, Ty::T, &[Ty::T, Ty::T, Ty::T])],
        How::Inline(Inline::MultiplyAdd),
    ),
    row("mad_hi", I3, How::Generic),
    row("mad_sat", I3, How::Generic),
    row(
        "mul24",
        &[sig(I24, Ty::T, &[Ty::T, Ty::T])],
        How::Inline(Inline::MultiplyAdd),
    ),
    row("mul_hi", I2, How::Generic),
    row("popcount", I1, How::Intrinsic(Intrinsic::PopCount)),
    row("rhadd", I2, How::Generic),
    row("rotate", SHIFT, How::Generic),
    row("sub_sat", I2, How::Generic),
    row(
        "upsample",
        &[sig(NARROW, Ty::Wide, &[Ty::T, Ty::Unsigned])],
        How::Inline(Inline::Upsample),
    ),
];
