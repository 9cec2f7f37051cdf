//! Functions of OpenCL C 2.0 and 3.0 (6.15.1, 6.15.8, 6.15.12). Programs of older versions do not have them.

use super::*;
use crate::hir::Scalar;
use crate::intrinsic::Clock;

const SIZE_T: Ty = Ty::Fixed(Scalar::ULong);
const UINT: Ty = Ty::Fixed(Scalar::UInt);
const INT: Ty = Ty::Fixed(Scalar::Int);
const NOTHING: &[Sig] = &[sig(ONE, SIZE_T, &[])];
const DIM: &[Sig] = &[sig(ONE, SIZE_T, &[UINT])];
const VOTE: &[Sig] = &[sig(ONE, INT, &[INT])];
const NUMBERS: Domain = over(
    Scalars::INT32.or(Scalars::INT64).or(Scalars::FLOATS),
    Lanes::SCALAR,
);
const ARITHMETIC: &[Sig] = &[sig(NUMBERS, Ty::T, &[Ty::T])];
/// cl_khr_work_group_uniform_arithmetic.
const BITWISE: &[Sig] = &[sig(
    over(Scalars::INT32.or(Scalars::INT64), Lanes::SCALAR),
    Ty::T,
    &[Ty::T],
)];
/// cl_khr_kernel_clock.
const TICKS: &[Sig] = &[sig(ONE, Ty::Fixed(Scalar::ULong), &[])];
const TICKS_IN_TWO: &[Sig] = &[sig(ONE, Ty::Vector(Scalar::UInt, 2), &[])];
/// No signatures: `c11_atomic` checks the arguments.
const UNCHECKED: &[Sig] = &[];

const fn atomic(what: C11Atomic) -> How {
    How::Inline(Inline::C11Atomic(what))
}

const fn clock(clock: Clock) -> How {
    How::Intrinsic(Intrinsic::ReadClock(clock))
}

const fn op(op: AtomicOp) -> How {
    atomic(C11Atomic::Fetch(op, op))
}

const fn to(space: Space) -> How {
    How::Inline(Inline::PointerQuery(PointerQuery::To(space)))
}

const MIN: How = atomic(C11Atomic::Fetch(AtomicOp::SMin, AtomicOp::UMin));
const MAX: How = atomic(C11Atomic::Fetch(AtomicOp::SMax, AtomicOp::UMax));
const EXCHANGE: How = atomic(C11Atomic::Fetch(AtomicOp::Xchg, AtomicOp::Xchg));

pub(super) static ROWS: &[Row] = &[
    row(
        "atomic_compare_exchange_strong",
        UNCHECKED,
        atomic(C11Atomic::CompareExchange),
    ),
    row(
        "atomic_compare_exchange_strong_explicit",
        UNCHECKED,
        atomic(C11Atomic::CompareExchange),
    ),
    // The weak forms may fail without a reason. These never do.
    row(
        "atomic_compare_exchange_weak",
        UNCHECKED,
        atomic(C11Atomic::CompareExchange),
    ),
    row(
        "atomic_compare_exchange_weak_explicit",
        UNCHECKED,
        atomic(C11Atomic::CompareExchange),
    ),
    row("atomic_exchange", UNCHECKED, EXCHANGE),
    row("atomic_exchange_explicit", UNCHECKED, EXCHANGE),
    row("atomic_fetch_add", UNCHECKED, op(AtomicOp::Add)),
    row("atomic_fetch_add_explicit", UNCHECKED, op(AtomicOp::Add)),
    row("atomic_fetch_and", UNCHECKED, op(AtomicOp::And)),
    row("atomic_fetch_and_explicit", UNCHECKED, op(AtomicOp::And)),
    row("atomic_fetch_max", UNCHECKED, MAX),
    row("atomic_fetch_max_explicit", UNCHECKED, MAX),
    row("atomic_fetch_min", UNCHECKED, MIN),
    row("atomic_fetch_min_explicit", UNCHECKED, MIN),
    row("atomic_fetch_or", UNCHECKED, op(AtomicOp::Or)),
    row("atomic_fetch_or_explicit", UNCHECKED, op(AtomicOp::Or)),
    row("atomic_fetch_sub", UNCHECKED, op(AtomicOp::Sub)),
    row("atomic_fetch_sub_explicit", UNCHECKED, op(AtomicOp::Sub)),
    row("atomic_fetch_xor", UNCHECKED, op(AtomicOp::Xor)),
    row("atomic_fetch_xor_explicit", UNCHECKED, op(AtomicOp::Xor)),
    row("atomic_flag_clear", UNCHECKED, atomic(C11Atomic::FlagClear)),
    row(
        "atomic_flag_clear_explicit",
        UNCHECKED,
        atomic(C11Atomic::FlagClear),
    ),
    row("atomic_flag_test_and_set", UNCHECKED, atomic(C11Atomic::FlagSet)),
    row(
        "atomic_flag_test_and_set_explicit",
        UNCHECKED,
        atomic(C11Atomic::FlagSet),
    ),
    row("atomic_init", UNCHECKED, atomic(C11Atomic::Init)),
    row("atomic_load", UNCHECKED, atomic(C11Atomic::Load)),
    row("atomic_load_explicit", UNCHECKED, atomic(C11Atomic::Load)),
    row("atomic_store", UNCHECKED, atomic(C11Atomic::Store)),
    row("atomic_store_explicit", UNCHECKED, atomic(C11Atomic::Store)),
    row(
        "atomic_work_item_fence",
        &[sig(ONE, Ty::Void, &[UINT, INT, INT])],
        How::Inline(Inline::WorkItemFence),
    ),
    row("clock_read_device", TICKS, clock(Clock::Device)),
    row(
        "clock_read_hilo_device",
        TICKS_IN_TWO,
        How::Library("__c_clock_device"),
    ),
    row(
        "clock_read_hilo_sub_group",
        TICKS_IN_TWO,
        How::Library("__c_clock_sub_group"),
    ),
    row(
        "clock_read_hilo_work_group",
        TICKS_IN_TWO,
        How::Library("__c_clock_device"),
    ),
    row("clock_read_sub_group", TICKS, clock(Clock::Subgroup)),
    // Vulkan has no clock of a work-group. That of the device is one for all work-groups.
    row("clock_read_work_group", TICKS, clock(Clock::Device)),
    row(
        "get_enqueued_local_size",
        DIM,
        How::Inline(Inline::WorkItem(Intrinsic::EnqueuedLocalSize)),
    ),
    row(
        "get_fence",
        UNCHECKED,
        How::Inline(Inline::PointerQuery(PointerQuery::Fence)),
    ),
    row(
        "get_global_linear_id",
        NOTHING,
        How::Library("__c_global_linear_id"),
    ),
    row("get_local_linear_id", NOTHING, How::Library("__c_linear_id")),
    row("to_global", UNCHECKED, to(Space::Global)),
    row("to_local", UNCHECKED, to(Space::Local)),
    row("to_private", UNCHECKED, to(Space::Private)),
    row("work_group_all", VOTE, How::Library("__c_work_group_all")),
    row("work_group_any", VOTE, How::Library("__c_work_group_any")),
    row(
        "work_group_barrier",
        &[sig(ONE, Ty::Void, &[UINT]), sig(ONE, Ty::Void, &[UINT, INT])],
        How::Inline(Inline::WorkGroupBarrier),
    ),
    row(
        "work_group_broadcast",
        &[
            sig(NUMBERS, Ty::T, &[Ty::T, SIZE_T]),
            sig(NUMBERS, Ty::T, &[Ty::T, SIZE_T, SIZE_T]),
            sig(NUMBERS, Ty::T, &[Ty::T, SIZE_T, SIZE_T, SIZE_T]),
        ],
        How::Inline(Inline::WorkGroupBroadcast),
    ),
    row("work_group_reduce_add", ARITHMETIC, How::Generic),
    row("work_group_reduce_and", BITWISE, How::Generic),
    row(
        "work_group_reduce_logical_and",
        VOTE,
        How::Library("__c_work_group_reduce_logical_and"),
    ),
    row(
        "work_group_reduce_logical_or",
        VOTE,
        How::Library("__c_work_group_reduce_logical_or"),
    ),
    row(
        "work_group_reduce_logical_xor",
        VOTE,
        How::Library("__c_work_group_reduce_logical_xor"),
    ),
    row("work_group_reduce_max", ARITHMETIC, How::Generic),
    row("work_group_reduce_min", ARITHMETIC, How::Generic),
    row("work_group_reduce_mul", ARITHMETIC, How::Generic),
    row("work_group_reduce_or", BITWISE, How::Generic),
    row("work_group_reduce_xor", BITWISE, How::Generic),
    row("work_group_scan_exclusive_add", ARITHMETIC, How::Generic),
    row("work_group_scan_exclusive_and", BITWISE, How::Generic),
    row(
        "work_group_scan_exclusive_logical_and",
        VOTE,
        How::Library("__c_work_group_scan_exclusive_logical_and"),
    ),
    row(
        "work_group_scan_exclusive_logical_or",
        VOTE,
        How::Library("__c_work_group_scan_exclusive_logical_or"),
    ),
    row(
        "work_group_scan_exclusive_logical_xor",
        VOTE,
        How::Library("__c_work_group_scan_exclusive_logical_xor"),
    ),
    row("work_group_scan_exclusive_max", ARITHMETIC, How::Generic),
    row("work_group_scan_exclusive_min", ARITHMETIC, How::Generic),
    row("work_group_scan_exclusive_mul", ARITHMETIC, How::Generic),
    row("work_group_scan_exclusive_or", BITWISE, How::Generic),
    row("work_group_scan_exclusive_xor", BITWISE, How::Generic),
    row("work_group_scan_inclusive_add", ARITHMETIC, How::Generic),
    row("work_group_scan_inclusive_and", BITWISE, How::Generic),
    row(
        "work_group_scan_inclusive_logical_and",
        VOTE,
        How::Library("__c_work_group_scan_inclusive_logical_and"),
    ),
    row(
        "work_group_scan_inclusive_logical_or",
        VOTE,
        How::Library("__c_work_group_scan_inclusive_logical_or"),
    ),
    row(
        "work_group_scan_inclusive_logical_xor",
        VOTE,
        How::Library("__c_work_group_scan_inclusive_logical_xor"),
    ),
    row("work_group_scan_inclusive_max", ARITHMETIC, How::Generic),
    row("work_group_scan_inclusive_min", ARITHMETIC, How::Generic),
    row("work_group_scan_inclusive_mul", ARITHMETIC, How::Generic),
    row("work_group_scan_inclusive_or", BITWISE, How::Generic),
    row("work_group_scan_inclusive_xor", BITWISE, How::Generic),
];
