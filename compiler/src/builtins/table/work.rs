//! Work-item functions, synchronization, asynchronous copies, miscellaneous (6.12.1, 6.12.8–6.12.10, 6.12.12,
//! 6.12.13).

use super::*;
use crate::hir::Scalar;

/// `size_t`. With `-arch=spirv32`, sema converts results to its 32 bits.
const SIZE_T: Ty = Ty::Fixed(Scalar::ULong);
const UINT: Ty = Ty::Fixed(Scalar::UInt);
const DIM: &[Sig] = &[sig(ONE, SIZE_T, &[UINT])];
const FLAGS: &[Sig] = &[sig(ONE, Ty::Void, &[UINT])];
const ANY_T: Domain = over(Scalars::ALL, Lanes::ANY);
const LOCAL_OUT: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Only(Space::Local), Access::Write);
const LOCAL_IN: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Only(Space::Local), Access::Read);
const GLOBAL_OUT: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Only(Space::Global), Access::Write);
const GLOBAL_IN: Ty = Ty::Ptr(PointeeTy::T, SpaceSpec::Only(Space::Global), Access::Read);

const fn work_item(i: Intrinsic) -> How {
    How::Inline(Inline::WorkItem(i))
}

pub(super) static ROWS: &[Row] = &[
    row(
        "async_work_group_copy",
        &[
            sig(ANY_T, Ty::Event, &[LOCAL_OUT, GLOBAL_IN, SIZE_T, Ty::Event]),
            sig(ANY_T, Ty::Event, &[GLOBAL_OUT, LOCAL_IN, SIZE_T, Ty::Event]),
        ],
        How::Inline(Inline::AsyncCopy { strided: false }),
    ),
    row(
        "async_work_group_strided_copy",
        &[
            sig(
                ANY_T,
                Ty::Event,
                &[LOCAL_OUT, GLOBAL_IN, SIZE_T, SIZE_T, Ty::Event],
            ),
            sig(
                ANY_T,
                Ty::Event,
                &[GLOBAL_OUT, LOCAL_IN, SIZE_T, SIZE_T, Ty::Event],
            ),
        ],
        How::Inline(Inline::AsyncCopy { strided: true }),
    ),
    row("barrier", FLAGS, How::Inline(Inline::Barrier)),
    row("get_global_id", DIM, work_item(Intrinsic::GlobalId)),
    row("get_global_offset", DIM, work_item(Intrinsic::GlobalOffset)),
    row("get_global_size", DIM, work_item(Intrinsic::GlobalSize)),
    row("get_group_id", DIM, work_item(Intrinsic::GroupId)),
    row("get_local_id", DIM, work_item(Intrinsic::LocalId)),
    row("get_local_size", DIM, work_item(Intrinsic::LocalSize)),
    row("get_num_groups", DIM, work_item(Intrinsic::NumGroups)),
    row(
        "get_work_dim",
        &[sig(ONE, UINT, &[])],
        How::Inline(Inline::WorkDim),
    ),
    row("mem_fence", FLAGS, How::Inline(Inline::Fence)),
    row(
        "prefetch",
        &[sig(ANY_T, Ty::Void, &[GLOBAL_IN, SIZE_T])],
        How::Inline(Inline::Prefetch),
    ),
    row("printf", &[], How::Inline(Inline::Printf)),
    row("read_mem_fence", FLAGS, How::Inline(Inline::Fence)),
    row("shuffle", &[], How::Inline(Inline::Shuffle)),
    row("shuffle2", &[], How::Inline(Inline::Shuffle2)),
    row(
        "wait_group_events",
        &[sig(
            pointing(Scalars::NONE, Lanes::SCALAR, MUTABLE),
            Ty::Void,
            &[
                Ty::Fixed(Scalar::Int),
                Ty::Ptr(PointeeTy::Event, SpaceSpec::Any, Access::Read),
            ],
        )],
        How::Inline(Inline::WaitEvents),
    ),
    row("write_mem_fence", FLAGS, How::Inline(Inline::Fence)),
];
