//! Functions of extensions that are in the core of OpenCL C 3.1: cl_khr_extended_bit_ops, cl_khr_integer_dot_product
//! (except `dot` itself, which `common` has).

use super::*;
use crate::hir::Scalar;

const UINT: Ty = Ty::Fixed(Scalar::UInt);
const INT: Ty = Ty::Fixed(Scalar::Int);
const U4: Ty = Ty::Vector(Scalar::UChar, 4);
const S4: Ty = Ty::Vector(Scalar::Char, 4);

pub(super) static ROWS: &[Row] = &[
    row("bit_reverse", I1, How::Intrinsic(Intrinsic::BitReverse)),
    row(
        "bitfield_extract_signed",
        &[sig(INTEGERS, Ty::Signed, &[Ty::T, UINT, UINT])],
        How::Generic,
    ),
    row(
        "bitfield_extract_unsigned",
        &[sig(INTEGERS, Ty::Unsigned, &[Ty::T, UINT, UINT])],
        How::Generic,
    ),
    row(
        "bitfield_insert",
        &[sig(INTEGERS, Ty::T, &[Ty::T, Ty::T, UINT, UINT])],
        How::Generic,
    ),
    row(
        "dot_4x8packed_ss_int",
        &[sig(ONE, INT, &[UINT, UINT])],
        How::Library("__c_dot_packed_ss"),
    ),
    row(
        "dot_4x8packed_su_int",
        &[sig(ONE, INT, &[UINT, UINT])],
        How::Library("__c_dot_packed_su"),
    ),
    row(
        "dot_4x8packed_us_int",
        &[sig(ONE, INT, &[UINT, UINT])],
        How::Library("__c_dot_packed_us"),
    ),
    row(
        "dot_4x8packed_uu_uint",
        &[sig(ONE, UINT, &[UINT, UINT])],
        How::Library("__c_dot_packed_uu"),
    ),
    row(
        "dot_acc_sat",
        &[
            sig(ONE, UINT, &[U4, U4, UINT]),
            sig(ONE, INT, &[S4, S4, INT]),
            sig(ONE, INT, &[U4, S4, INT]),
            sig(ONE, INT, &[S4, U4, INT]),
        ],
        How::Inline(Inline::Dot),
    ),
    row(
        "dot_acc_sat_4x8packed_ss_int",
        &[sig(ONE, INT, &[UINT, UINT, INT])],
        How::Library("__c_dot_acc_packed_ss"),
    ),
    row(
        "dot_acc_sat_4x8packed_su_int",
        &[sig(ONE, INT, &[UINT, UINT, INT])],
        How::Library("__c_dot_acc_packed_su"),
    ),
    row(
        "dot_acc_sat_4x8packed_us_int",
        &[sig(ONE, INT, &[UINT, UINT, INT])],
        How::Library("__c_dot_acc_packed_us"),
    ),
    row(
        "dot_acc_sat_4x8packed_uu_uint",
        &[sig(ONE, UINT, &[UINT, UINT, UINT])],
        How::Library("__c_dot_acc_packed_uu"),
    ),
];
