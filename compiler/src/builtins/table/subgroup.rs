//! Functions of sub-groups (OpenCL C 3.0, 6.15.19, and the extensions cl_khr_subgroup_…). In Vulkan, all of them take part
//! where they are called in divergent control flow, so that the forms with and without `non_uniform` are the same.

use super::*;
use crate::hir::Scalar;
use crate::intrinsic::{SubgroupOp as Op, SubgroupPart as Part};

const UINT: Ty = Ty::Fixed(Scalar::UInt);
const INT: Ty = Ty::Fixed(Scalar::Int);
const QUESTION: &[Sig] = &[sig(ONE, UINT, &[])];
const VOTE: &[Sig] = &[sig(ONE, INT, &[INT])];
/// Every number, `half` and `double` where they exist (cl_khr_subgroup_extended_types).
const SCALARS: &[Sig] = &[sig(over(Scalars::ALL, Lanes::SCALAR), Ty::T, &[Ty::T])];
const BITS: &[Sig] = &[sig(over(Scalars::INTEGERS, Lanes::SCALAR), Ty::T, &[Ty::T])];
const CLUSTER: &[Sig] = &[sig(over(Scalars::ALL, Lanes::SCALAR), Ty::T, &[Ty::T, UINT])];
const CLUSTER_BITS: &[Sig] = &[sig(over(Scalars::INTEGERS, Lanes::SCALAR), Ty::T, &[Ty::T, UINT])];
/// One bit for each work-item.
const BALLOT: Ty = Ty::Vector(Scalar::UInt, 4);
const MASK: &[Sig] = &[sig(ONE, BALLOT, &[])];
const COUNT: &[Sig] = &[sig(ONE, UINT, &[BALLOT])];

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

const fn mul(part: Part) -> How {
    How::ByKind(
        Intrinsic::SubgroupArith(Op::IMul, part),
        Intrinsic::SubgroupArith(Op::IMul, part),
        Intrinsic::SubgroupArith(Op::FMul, part),
    )
}

pub(super) static ROWS: &[Row] = &[
    row(
        "get_enqueued_num_sub_groups",
        QUESTION,
        How::Library("__c_enqueued_sub_groups"),
    ),
    row(
        "get_max_sub_group_size",
        QUESTION,
        question(Intrinsic::SubgroupMaxSize),
    ),
    row("get_num_sub_groups", QUESTION, question(Intrinsic::NumSubgroups)),
    row("get_sub_group_eq_mask", MASK, How::Library("__c_eq_mask")),
    row("get_sub_group_ge_mask", MASK, How::Library("__c_ge_mask")),
    row("get_sub_group_gt_mask", MASK, How::Library("__c_gt_mask")),
    row("get_sub_group_id", QUESTION, question(Intrinsic::SubgroupId)),
    row("get_sub_group_le_mask", MASK, How::Library("__c_le_mask")),
    row(
        "get_sub_group_local_id",
        QUESTION,
        question(Intrinsic::SubgroupLocalId),
    ),
    row("get_sub_group_lt_mask", MASK, How::Library("__c_lt_mask")),
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
        "sub_group_ballot",
        &[sig(ONE, BALLOT, &[INT])],
        How::Inline(Inline::SubgroupBallot),
    ),
    row("sub_group_ballot_bit_count", COUNT, How::Library("__c_bit_count")),
    row(
        "sub_group_ballot_bit_extract",
        &[sig(ONE, INT, &[BALLOT, UINT])],
        How::Library("__c_bit_extract"),
    ),
    row(
        "sub_group_ballot_exclusive_scan",
        COUNT,
        How::Library("__c_exclusive_bits"),
    ),
    row("sub_group_ballot_find_lsb", COUNT, How::Library("__c_find_lsb")),
    row("sub_group_ballot_find_msb", COUNT, How::Library("__c_find_msb")),
    row(
        "sub_group_ballot_inclusive_scan",
        COUNT,
        How::Library("__c_inclusive_bits"),
    ),
    row(
        "sub_group_barrier",
        &[sig(ONE, Ty::Void, &[UINT]), sig(ONE, Ty::Void, &[UINT, INT])],
        How::Inline(Inline::SubgroupBarrier),
    ),
    row(
        "sub_group_broadcast",
        &[sig(over(Scalars::ALL, Lanes::ANY), Ty::T, &[Ty::T, UINT])],
        How::Intrinsic(Intrinsic::SubgroupBroadcast),
    ),
    row("sub_group_broadcast_first", SCALARS, How::Generic),
    row("sub_group_clustered_reduce_add", CLUSTER, How::Generic),
    row("sub_group_clustered_reduce_and", CLUSTER_BITS, How::Generic),
    row(
        "sub_group_clustered_reduce_logical_and",
        &[sig(ONE, INT, &[INT, UINT])],
        How::Library("__c_clustered_and"),
    ),
    row(
        "sub_group_clustered_reduce_logical_or",
        &[sig(ONE, INT, &[INT, UINT])],
        How::Library("__c_clustered_or"),
    ),
    row(
        "sub_group_clustered_reduce_logical_xor",
        &[sig(ONE, INT, &[INT, UINT])],
        How::Library("__c_clustered_xor"),
    ),
    row("sub_group_clustered_reduce_max", CLUSTER, How::Generic),
    row("sub_group_clustered_reduce_min", CLUSTER, How::Generic),
    row("sub_group_clustered_reduce_mul", CLUSTER, How::Generic),
    row("sub_group_clustered_reduce_or", CLUSTER_BITS, How::Generic),
    row("sub_group_clustered_reduce_xor", CLUSTER_BITS, How::Generic),
    row(
        "sub_group_clustered_rotate",
        &[sig(over(Scalars::ALL, Lanes::SCALAR), Ty::T, &[Ty::T, INT, UINT])],
        How::Generic,
    ),
    row(
        "sub_group_elect",
        &[sig(ONE, INT, &[])],
        How::Library("__c_elect"),
    ),
    row(
        "sub_group_inverse_ballot",
        &[sig(ONE, INT, &[BALLOT])],
        How::Library("__c_inverse_ballot"),
    ),
    row(
        "sub_group_non_uniform_all",
        VOTE,
        How::Inline(Inline::SubgroupVote { all: true }),
    ),
    row(
        "sub_group_non_uniform_all_equal",
        &[sig(over(Scalars::ALL, Lanes::SCALAR), INT, &[Ty::T])],
        How::Generic,
    ),
    row(
        "sub_group_non_uniform_any",
        VOTE,
        How::Inline(Inline::SubgroupVote { all: false }),
    ),
    row(
        "sub_group_non_uniform_broadcast",
        &[sig(over(Scalars::ALL, Lanes::ANY), Ty::T, &[Ty::T, UINT])],
        How::Intrinsic(Intrinsic::SubgroupBroadcast),
    ),
    row("sub_group_non_uniform_reduce_add", SCALARS, add(Part::Reduce)),
    row(
        "sub_group_non_uniform_reduce_and",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::And, Part::Reduce)),
    ),
    row(
        "sub_group_non_uniform_reduce_logical_and",
        VOTE,
        How::Library("__c_reduce_and"),
    ),
    row(
        "sub_group_non_uniform_reduce_logical_or",
        VOTE,
        How::Library("__c_reduce_or"),
    ),
    row(
        "sub_group_non_uniform_reduce_logical_xor",
        VOTE,
        How::Library("__c_reduce_xor"),
    ),
    row("sub_group_non_uniform_reduce_max", SCALARS, max(Part::Reduce)),
    row("sub_group_non_uniform_reduce_min", SCALARS, min(Part::Reduce)),
    row("sub_group_non_uniform_reduce_mul", SCALARS, mul(Part::Reduce)),
    row(
        "sub_group_non_uniform_reduce_or",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Or, Part::Reduce)),
    ),
    row(
        "sub_group_non_uniform_reduce_xor",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Xor, Part::Reduce)),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_add",
        SCALARS,
        add(Part::Exclusive),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_and",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::And, Part::Exclusive)),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_logical_and",
        VOTE,
        How::Library("__c_scan_exclusive_and"),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_logical_or",
        VOTE,
        How::Library("__c_scan_exclusive_or"),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_logical_xor",
        VOTE,
        How::Library("__c_scan_exclusive_xor"),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_max",
        SCALARS,
        max(Part::Exclusive),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_min",
        SCALARS,
        min(Part::Exclusive),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_mul",
        SCALARS,
        mul(Part::Exclusive),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_or",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Or, Part::Exclusive)),
    ),
    row(
        "sub_group_non_uniform_scan_exclusive_xor",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Xor, Part::Exclusive)),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_add",
        SCALARS,
        add(Part::Inclusive),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_and",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::And, Part::Inclusive)),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_logical_and",
        VOTE,
        How::Library("__c_scan_inclusive_and"),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_logical_or",
        VOTE,
        How::Library("__c_scan_inclusive_or"),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_logical_xor",
        VOTE,
        How::Library("__c_scan_inclusive_xor"),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_max",
        SCALARS,
        max(Part::Inclusive),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_min",
        SCALARS,
        min(Part::Inclusive),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_mul",
        SCALARS,
        mul(Part::Inclusive),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_or",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Or, Part::Inclusive)),
    ),
    row(
        "sub_group_non_uniform_scan_inclusive_xor",
        BITS,
        How::Intrinsic(Intrinsic::SubgroupArith(Op::Xor, Part::Inclusive)),
    ),
    row("sub_group_reduce_add", SCALARS, add(Part::Reduce)),
    row("sub_group_reduce_max", SCALARS, max(Part::Reduce)),
    row("sub_group_reduce_min", SCALARS, min(Part::Reduce)),
    row(
        "sub_group_rotate",
        &[sig(over(Scalars::ALL, Lanes::SCALAR), Ty::T, &[Ty::T, INT])],
        How::Generic,
    ),
    row("sub_group_scan_exclusive_add", SCALARS, add(Part::Exclusive)),
    row("sub_group_scan_exclusive_max", SCALARS, max(Part::Exclusive)),
    row("sub_group_scan_exclusive_min", SCALARS, min(Part::Exclusive)),
    row("sub_group_scan_inclusive_add", SCALARS, add(Part::Inclusive)),
    row("sub_group_scan_inclusive_max", SCALARS, max(Part::Inclusive)),
    row("sub_group_scan_inclusive_min", SCALARS, min(Part::Inclusive)),
    row(
        "sub_group_shuffle",
        SHUFFLE,
        How::Intrinsic(Intrinsic::SubgroupShuffle),
    ),
    row("sub_group_shuffle_down", SHUFFLE, How::Generic),
    row("sub_group_shuffle_up", SHUFFLE, How::Generic),
    row(
        "sub_group_shuffle_xor",
        SHUFFLE,
        How::Intrinsic(Intrinsic::SubgroupShuffleXor),
    ),
];
