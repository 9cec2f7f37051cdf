//! The order of the passes.

use super::{
    Pass, Pipeline, batch_loads, carry_exit_values, check_nesting, const_fold, cse, dce, forward_memory,
    fuse_multiply_add, gather_pointer_uses, hoist_invariants, inline, interleave, lower_exits, lower_images,
    lower_kernel_args, lower_long_vectors, lower_memory, lower_printf, lower_system_values, mem2reg,
    merge_accesses, pair_words, promote_accumulators, round_doubles, scratch_memory, share_loads,
    share_offsets, simplify_integers, simplify_regions, sroa, unroll_counted, unroll_loops, widen_accesses,
};
use crate::abi::Abi;
use crate::inv;
use crate::target::Target;

/// Returns the list of passes for a target, in the order in which they run. The comment on a pass gives the
/// reason for its position.
pub fn pipeline(target: &Target) -> Pipeline {
    let mut p = Pipeline::default();
    // Before `inline`: each function is simplified once, not once for each copy that `inline` makes of it.
    p.run_pass(sroa::PASS);
    p.run_pass(mem2reg::PASS);
    p.fixpoint(
        "callees",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    // Inlining ends because OpenCL C forbids recursion.
    p.run_pass(inline::PASS);
    // Inlined functions bring their variables: `sroa` splits them into variables of one type each, which
    // `mem2reg` can promote.
    p.run_pass(sroa::PASS);
    // All later passes work better on SSA values than on memory.
    p.run_pass(mem2reg::PASS);
    p.fixpoint(
        "early",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        // Before the next `mem2reg`: unrolling makes the indices into private arrays constant, so that the
        // arrays can be promoted.
        unroll_counted::PASS,
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    // After unrolling: addresses in the copies of a loop body differ by constants, which this pass moves
    // outwards.
    p.run_pass(simplify_integers::PASS);
    // Neighbouring addresses have a common base now, which `cse` computes once.
    p.run_pass(cse::PASS);
    // As long as pointers can be followed back to kernel arguments, which tells which accesses may alias.
    p.run_pass(forward_memory::PASS);
    // As long as the arguments tell which memory is written, so that loads can be hoisted too.
    p.run_pass(hoist_invariants::PASS);
    // After hoisting: the addresses that a loop accumulates into are computed outside of the loop.
    p.run_pass(promote_accumulators::PASS);
    if target.abi == Abi::Physical {
        // Only with device addresses: under the descriptor ABI a buffer is an array of one element type, its
        // lanes.
        p.run_pass(merge_accesses::PASS);
    }
    // As long as kernels have parameters.
    p.run_pass(gather_pointer_uses::PASS);
    // Before `lower_kernel_args`: the system's push constants come before the arguments.
    p.run_pass(lower_system_values::PASS);
    // After `lower_system_values`, whose push constants hold the address of the printf buffer, and while
    // vectors are whole.
    p.run_pass(lower_printf::PASS);
    // After folding: literal samplers have reached the reads that use them.
    p.run_pass(lower_images::PASS);
    // After `lower_images`: it reserves push constants for the image and sampler properties that the reads
    // ask for.
    p.run_pass(lower_kernel_args::PASS);
    // Struct arguments are private variables now.
    p.run_pass(sroa::PASS);
    p.run_pass(mem2reg::PASS);
    // While vectors are whole: the pass combines narrow lanes.
    p.run_pass(widen_accesses::PASS);
    // After `mem2reg`: accesses and the values that promotion leaves are both split.
    p.run_pass(lower_long_vectors::PASS);
    if target.quirks.lane_by_lane && target.abi == Abi::Physical {
        // After `lower_long_vectors`, to pair the parts of long vectors too; before `lower_memory` chooses
        // element types.
        p.run_pass(pair_words::PASS);
    }
    if target.quirks.double_rounding {
        // Vectors are short now, and the folding below simplifies the result.
        p.run_pass(round_doubles::PASS);
    }
    // Each of these runs once: the fixpoint `late` does the rest.
    p.run_pass(const_fold::PASS);
    p.run_pass(simplify_regions::PASS);
    p.run_pass(dce::PASS);
    // After folding and `cse`, which show which products have more than one use: those are not fused.
    p.run_pass(fuse_multiply_add::PASS);
    // Needs short vectors, and constant offsets where folding can find them.
    p.run_pass(lower_memory::PASS);
    if target.abi == Abi::Physical {
        // After `lower_memory` has given private arrays their element types; the passes below simplify the
        // new addresses.
        p.run_pass(scratch_memory::PASS);
    }
    // Addresses and system values are integer arithmetic now.
    p.run_pass(simplify_integers::PASS);
    // All operations are in their final form, and each access names its storage.
    p.run_pass(hoist_invariants::PASS);
    if target.quirks.lane_by_lane && target.features.subgroup_shuffle && target.abi == Abi::Physical {
        // Before the passes that unroll the same loops.
        p.run_pass(share_loads::PASS);
    }
    if target.quirks.counted_loops {
        // After all passes that make loops smaller; `late` dissolves the blocks that this pass makes.
        p.run_pass(unroll_loops::PASS);
    } else {
        // Loop-invariant addresses have been hoisted; `late` merges the computations that the copies share.
        p.run_pass(batch_loads::PASS);
        // For the loops that `batch_loads` leaves.
        p.run_pass(interleave::PASS);
        // After `hoist_invariants`, which would take the sums apart again.
        p.run_pass(share_offsets::PASS);
    }
    p.fixpoint(
        "late",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    // Last of the passes for all targets: the others may use multi-level exits.
    p.run_pass(lower_exits::PASS);
    if target.quirks.loop_values {
        // After the last fixpoint, which would simplify the carried values away.
        p.run_pass(carry_exit_values::PASS);
    }
    if target.limits.nesting != u32::MAX {
        // Checks the final control flow, which the driver gets.
        p.run_pass(check_nesting::PASS);
    }
    p.finish(inv![
        Ssa,
        Inlined,
        KernelArgs,
        SystemValues,
        Images,
        NoLongVectors,
        ExplicitMemory,
        SpirvExits
    ])
}

/// Returns the passes of all targets, each once, in the order in which they first run.
pub fn all_passes() -> Vec<Pass> {
    let mut list = pipeline(&Target::desktop()).passes();
    let mut at = 0;
    for pass in pipeline(&Target::faulty()).passes() {
        match list.iter().position(|p| p.name == pass.name) {
            Some(place) => at = place + 1,
            None => {
                list.insert(at, pass);
                at += 1;
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_stands_where_its_requirements_hold() {
        assert!(!pipeline(&Target::desktop()).passes().is_empty());
    }
}
