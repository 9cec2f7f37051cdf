//! Functions of sub-groups (OpenCL 2.0 extensions, cl_khr_subgroups).

use super::*;
use crate::hir::Scalar;
use crate::intrinsic::{SubgroupOp as Op, SubgroupPart as Part};

const UINT: Ty = Ty::Fixed(Scalar::UInt);
const INT: Ty = Ty::Fixed(Scalar::Int);
const QUESTION: &[Sig] = &[sig(ONE, UINT, &[])];
const VOTE: &[Sig] = &[sig(ONE, INT, &[INT])];
/// `half` and `double` are included where they exist.
const NUMBERS: Domain = over(
    Scalars::INT32.or(Scalars::INT64).or(Scalars::FLOATS),
    Lanes::SCALAR,
);
const ARITHMETIC: &[Sig] = &[sig(NUMBERS, Ty::T, &[Ty::T])];

/// cl_khr_subgroup_shuffle.
const SHUFFLE: &[Sig] = &[sig(over(Scalars::ALL, Lanes::SCALAR), Ty::T, &[Ty::T, UINT])];
/// cl_intel_subgroups also has the vector forms.
const SHUFFLE_ANY: &[Sig] = &[sig(over(Scalars::ALL, Lanes::ANY), Ty::T, &[Ty::T, UINT])];

const fn question(i: Intrinsic) -> How {
    How::Intrinsic(i)
}

const fn add(part: Part) -> How {
    How::ByKind(
        Intrinsic::SubgroupArith(Op::IAdd, part),
        Intrinsic::SubgroupArith(Op::IAdd, part),
        Intrinsic::SubgroupArith(Op::FAdd, part),
    )
}

const fn max(part: Part) -> How {
    How::ByKind(
        Intrinsic::SubgroupArith(Op::SMax, part),
        Intrinsic::SubgroupArith(Op::UMax, part),
        Intrinsic::SubgroupArith(Op::FMax, part),
    )
}

const fn min(part: Part) -> How {
    How::ByKind(
        Intrinsic::SubgroupArith(Op::SMin, part),
        Intrinsic::SubgroupArith(Op::UMin, part),
        Intrinsic::SubgroupArith(Op::FMin, part),
    )
}

pub(super) static ROWS: &[Row] = &[
    // All work-groups have the same size, so the result is the same as without `enqueued`.
    row(
        "get_enqueued_num_sub_groups",
        QUESTION,
        question(Intrinsic::NumSubgroups),
    ),
    row(
        "get_max_sub_group_size",
        QUESTION,
        question(Intrinsic::SubgroupMaxSize),
    ),
    row("get_num_sub_groups", QUESTION, question(Intrinsic::NumSubgroups)),
    row("get_sub_group_id", QUESTION, question(Intrinsic::SubgroupId)),
    row(
        "get_sub_group_local_id",
        QUESTION,
        question(Intrinsic::SubgroupLocalId),
    ),
    row("get_sub_group_size", QUESTION, question(Intrinsic::SubgroupSize)),
    // Kernels written for Intel's devices call these functions without testing for the extension. The rest of
    // that extension does not exist here.
    row(
        "intel_sub_group_shuffle",
        SHUFFLE_ANY,
        How::Intrinsic(Intrinsic::SubgroupShuffle),
    ),
    row(
        "intel_sub_group_shuffle_xor",
        SHUFFLE_ANY,
        How::Intrinsic(Intrinsic::SubgroupShuffleXor),
    ),
    row(
        "sub_group_all",
        VOTE,
        How::Inline(Inline::SubgroupVote { all: true }),
    ),
    row(
        "sub_group_any",
        VOTE,
        How::Inline(Inline::SubgroupVote { all: false }),
    ),
    row(
        "sub_group_barrier",
        &[sig(ONE, Ty::Void, &[UINT])],
        How::Inline(Inline::SubgroupBarrier),
    ),
    row(
        "sub_group_broadcast",
        &[sig(NUMBERS, Ty::T, &[Ty::T, UINT])],
        How::Intrinsic(Intrinsic::SubgroupBroadcast),
    ),
    row("sub_group_reduce_add", ARITHMETIC, add(Part::Reduce)),
    row("sub_group_reduce_max", ARITHMETIC, max(Part::Reduce)),
    row("sub_group_reduce_min", ARITHMETIC, min(Part::Reduce)),
    row("sub_group_scan_exclusive_add", ARITHMETIC, add(Part::Exclusive)),
    row("sub_group_scan_exclusive_max", ARITHMETIC, max(Part::Exclusive)),
    row("sub_group_scan_exclusive_min", ARITHMETIC, min(Part::Exclusive)),
    row("sub_group_scan_inclusive_add", ARITHMETIC, add(Part::Inclusive)),
    row("sub_group_scan_inclusive_max", ARITHMETIC, max(Part::Inclusive)),
    row("sub_group_scan_inclusive_min", ARITHMETIC, min(Part::Inclusive)),
    row(
        "sub_group_shuffle",
        SHUFFLE,
        How::Intrinsic(Intrinsic::SubgroupShuffle),
    ),
    row(
        "sub_group_shuffle_xor",
        SHUFFLE,
        How::Intrinsic(Intrinsic::SubgroupShuffleXor),
    ),
];
