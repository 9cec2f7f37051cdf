//! Which intrinsics concern several work-items, or differ between work-items.

use super::Intrinsic;

impl Intrinsic {
    /// Returns whether the result depends on the work-item or on the launch.
    pub fn is_work_item(self) -> bool {
        matches!(
            self,
            Intrinsic::GlobalId
                | Intrinsic::LocalId
                | Intrinsic::GroupId
                | Intrinsic::GlobalSize
                | Intrinsic::LocalSize
                | Intrinsic::EnqueuedLocalSize
                | Intrinsic::NumGroups
                | Intrinsic::GlobalOffset
                | Intrinsic::WorkDim
                | Intrinsic::WorkgroupId
                | Intrinsic::LocalInvocationId
                | Intrinsic::WorkgroupSize
                | Intrinsic::DeviceLocalId
                | Intrinsic::DeviceGroupSize
                | Intrinsic::GlobalInvocationId
                | Intrinsic::NumWorkgroups
                | Intrinsic::GlobalOffsetConstant
                | Intrinsic::SubgroupMaxSize
                | Intrinsic::SubgroupSize
                | Intrinsic::NumSubgroups
                | Intrinsic::SubgroupId
                | Intrinsic::SubgroupLocalId
        )
    }

    /// Returns whether the operation synchronizes a work-group or sub-group, and must stay in convergent control flow.
    pub fn is_convergent(self) -> bool {
        matches!(self, Intrinsic::Barrier(_)) || self.is_subgroup_operation()
    }

    /// Returns whether the operation makes this work-item's earlier writes available to others, and their
    /// writes visible to it.
    pub fn orders_memory(self) -> bool {
        matches!(
            self,
            Intrinsic::Barrier(_) | Intrinsic::Fence(_) | Intrinsic::SubgroupBarrier(_)
        )
    }

    /// Returns whether the operation asks for a size, a number or an id of sub-groups, or is one that they perform together.
    pub fn concerns_subgroups(self) -> bool {
        let is_query = matches!(
            self,
            Intrinsic::SubgroupMaxSize
                | Intrinsic::SubgroupSize
                | Intrinsic::NumSubgroups
                | Intrinsic::SubgroupId
                | Intrinsic::SubgroupLocalId
        );
        is_query || self.is_subgroup_operation()
    }

    /// Returns whether the work-items of a sub-group perform the operation together.
    pub fn is_subgroup_operation(self) -> bool {
        matches!(
            self,
            Intrinsic::SubgroupBarrier(_)
                | Intrinsic::SubgroupAll
                | Intrinsic::SubgroupAny
                | Intrinsic::SubgroupBallot
                | Intrinsic::SubgroupBroadcast
                | Intrinsic::SubgroupShuffle
                | Intrinsic::SubgroupShuffleXor
                | Intrinsic::SubgroupArith(..)
        ) || matches!(self, Intrinsic::Matrix(op) if !op.is_local())
    }
}
