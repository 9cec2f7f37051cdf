//! The order of the passes.

use super::{
    Pass, Pipeline, batch_loads, carry_exit_values, check_arithmetic, check_barrier, check_copies,
    check_matrices, check_memory, check_nesting, check_race, check_uninitialized, choose_shifts, const_fold,
    cse, dce, divide_doubles, divide_subgroups, forward_memory, fuse_dot_products, fuse_multiply_add,
    gather_pointer_uses, gather_stores, guard_loops, hide_operands, hoist_common, hoist_invariants, inline,
    interleave, isolate_loop_memory, keep_loops, limit_nesting, lower_exits, lower_generic, lower_images,
    lower_int64, lower_kernel_args, lower_long_vectors, lower_matrices, lower_memory, lower_printf,
    lower_system_values, mem2reg, merge_accesses, merge_private, narrow_divisions, pair_words, permute_bytes,
    promote_accumulators, report_ended_loops, report_findings, resolve_generic, round_doubles,
    scalarize_integers, scale_indices, scratch_memory, select_arithmetic, share_addresses, share_loads,
    share_offsets, simplify_integers, simplify_regions, sink_loads, solve_loops, speculate_loads,
    split_rotations, sroa, unroll_counted, unroll_loops, unrotate_loops, widen_accesses, widen_integers,
    zero_private,
};
use crate::abi::Abi;
use crate::check::Checks;
use crate::inv;
use crate::target::{MatrixVariant, Target};

/// Returns the list of passes for a target, in the order in which they run. The comment on a pass gives the
/// reason for its position.
#[allow(clippy::too_many_lines, reason = "one ordered list")]
pub fn pipeline(target: &Target) -> Pipeline {
    let mut p = Pipeline::default();
    // All other passes see the operations that the device executes, and no function that it does not need.
    p.run_pass(select_arithmetic::PASS);
    if target.zeroed.private {
        // Before variables become values, which are undefined without an initialization.
        p.run_pass(zero_private::PASS);
    }
    let checks = target.checks;
    if checks.arithmetic {
        // Before `inline`, which makes the library's operations part of the program.
        p.run_pass(check_arithmetic::PASS);
    }
    if checks.any() {
        // Callers and callees are one function then, so that the objects of most pointers are known.
        p.run_pass(inline::PASS);
    }
    if checks.uninitialized {
        // Each variable still has memory.
        p.run_pass(check_uninitialized::PASS);
    }
    if checks.memory || checks.race {
        // Pointers that are variables should be values.
        p.run_pass(mem2reg::PASS);
        // Loops have counters with constant steps and bounds, which decide many checks.
        p.fixpoint(
            "checked",
            &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
        );
    }
    if checks.memory {
        // No pass has changed accesses yet.
        p.run_pass(check_memory::PASS);
    }
    if checks.race {
        // After `check_memory`, so that the shadow of a variable is accessed only where the access to the variable is
        // inside its bounds.
        p.run_pass(check_race::PASS);
    }
    if checks.barrier {
        // This makes numbers of pointers, which the checks above could not follow.
        p.run_pass(check_copies::PASS);
        // The barriers of other checks are at the start of the kernel.
        p.run_pass(check_barrier::PASS);
    }
    if checks.any() {
        // All checks have stated their findings. `mem2reg` makes values of the variables.
        p.run_pass(report_findings::PASS);
    }
    // These passes run before `inline`, so that each function is simplified once and not once for each of its
    // copies.
    p.run_pass(sroa::PASS);
    p.run_pass(mem2reg::PASS);
    p.fixpoint(
        "callees",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    if !checks.any() {
        // Inlining ends because OpenCL C forbids recursion.
        p.run_pass(inline::PASS);
    }
    // Inlined functions bring their variables. `sroa` splits them into variables of one type each, which
    // `mem2reg` can promote.
    p.run_pass(sroa::PASS);
    // All later passes work better on SSA values than on memory.
    p.run_pass(mem2reg::PASS);
    p.while_changed(
        // Callers and callees are one function now, so that most spaces are known.
        resolve_generic::PASS,
        // Without the casts that have no use any more, variables can be promoted, which may hold pointers.
        &[dce::PASS, sroa::PASS, mem2reg::PASS],
    );
    p.fixpoint(
        "early",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        // Counters and bounds are values now, and the passes below know loops by the test at their start.
        unrotate_loops::PASS,
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        // Small `if`s are selects now, and folding has merged equal parts of addresses. Loops have no copies yet.
        sink_loads::PASS,
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        // After folding, addresses of members are constant offsets from their variables.
        isolate_loop_memory::PASS,
        // The initial value of a counter is what the program has just stored.
        &[mem2reg::PASS, forward_memory::PASS],
    );
    p.while_changed(
        // Counters are values with constant steps now. Inner loops vanish first, then the loops around them.
        // `unroll_counted` need not unroll what vanishes.
        solve_loops::PASS,
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        // Loops are unrolled before the next `mem2reg`, because unrolling makes indices into private arrays
        // constant, so that the arrays can be promoted.
        unroll_counted::PASS,
        &[
            const_fold::PASS,
            // Arrays whose indices are constants now become values at once, so that the loops around are
            // decided by what is left.
            sroa::PASS,
            mem2reg::PASS,
            cse::PASS,
            simplify_regions::PASS,
            dce::PASS,
        ],
    );
    p.while_changed(
        // Small `if`s are selects now, and arrays values, so that the arms of the branches around them are sequences
        // of instructions without loads and stores.
        hoist_common::PASS,
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    // Folding has removed uses of pointers, and unrolling has promoted arrays of pointers.
    p.while_changed(resolve_generic::PASS, &[dce::PASS, sroa::PASS, mem2reg::PASS]);
    // After this pass, all other passes know the space of each access.
    p.run_pass(lower_generic::PASS);
    if target.subgroup_size.is_some() {
        // Before code is emitted that asks for the device's sub-groups, such as that of emulated matrices.
        p.run_pass(divide_subgroups::PASS);
    }
    if check_matrices::is_for(target) {
        // After simplification, so that code that is never reached may have any matrices.
        p.run_pass(check_matrices::PASS);
    }
    if target.emulated_matrices.is_some() {
        // Unrolling and promotion have made values of the matrices in variables. The passes below simplify the addresses.
        p.run_pass(lower_matrices::PASS);
    }
    // After unrolling, the addresses in the copies of a loop body differ by constants, which this pass moves
    // outwards.
    p.run_pass(simplify_integers::PASS);
    // Now the variable parts of neighbouring addresses are computed once.
    p.run_pass(cse::PASS);
    // This pass needs equal parts to be one value. `late` removes the arithmetic that it leaves unused.
    p.run_pass(share_addresses::PASS);
    // This pass must run while pointers can be followed back to kernel arguments, which tell which accesses
    // may alias.
    p.run_pass(forward_memory::PASS);
    // In this first run, kernel arguments still tell which memory a loop writes, so that loads can be
    // hoisted, too.
    p.run_pass(hoist_invariants::PASS);
    // After hoisting, the addresses that a loop accumulates into are computed outside of the loop.
    p.run_pass(promote_accumulators::PASS);
    if target.abi == Abi::Physical && target.aligned_buffers {
        // The descriptor ABI is excluded: there a buffer is an array of one element type, which should be
        // that of the lanes.
        p.run_pass(merge_accesses::PASS);
    }
    // The results are about parameters, so this pass must run while kernels have parameters.
    p.run_pass(gather_pointer_uses::PASS);
    // The system's push constants come before those of arguments, so this pass runs before
    // `lower_kernel_args`.
    p.run_pass(lower_system_values::PASS);
    // `lower_system_values` has reserved the push constant with the address of the printf buffer, and vectors
    // are still whole.
    p.run_pass(lower_printf::PASS);
    // Folding has propagated literal samplers to the reads that use them.
    p.run_pass(lower_images::PASS);
    // The image reads that `lower_images` leaves determine which image and sampler properties need a push
    // constant.
    p.run_pass(lower_kernel_args::PASS);
    // `lower_kernel_args` has turned struct arguments into private variables.
    p.run_pass(sroa::PASS);
    p.run_pass(mem2reg::PASS);
    // Unrolling has put the stores into one region, and `permute_bytes` simplifies the words of which they consist.
    p.run_pass(gather_stores::PASS);
    // This pass must run while vectors are whole, because it combines narrow lanes.
    p.run_pass(widen_accesses::PASS);
    // After promotion, long vectors also occur as SSA values, not only in memory accesses.
    p.run_pass(lower_long_vectors::PASS);
    if target.costs.lane_by_lane && target.features.int64 && target.abi == Abi::Physical {
        // After splitting, the parts of long vectors are paired, too. `lower_memory`, which chooses element
        // types, comes later.
        p.run_pass(pair_words::PASS);
    }
    if target.quirks.double_rounding {
        // Vectors are short now, and the folding below simplifies the result.
        p.run_pass(round_doubles::PASS);
    }
    // Each of these runs only once here: the fixpoint `late` does the rest.
    p.run_pass(const_fold::PASS);
    p.run_pass(simplify_regions::PASS);
    p.run_pass(dce::PASS);
    // After folding and `cse`, the uses of each product are final: a product with a use that cannot be fused
    // stays.
    p.run_pass(fuse_multiply_add::PASS);
    if fuse_dot_products::is_for(target) {
        // Vectors of bytes are loaded as words now, and the passes that copy loops see one operation.
        p.run_pass(fuse_dot_products::PASS);
    }
    // This pass needs short vectors, and profits from constant offsets that folding has found.
    p.run_pass(lower_memory::PASS);
    if target.abi == Abi::Physical {
        // `lower_memory` has given private arrays their element types. The passes below simplify the new
        // addresses.
        p.run_pass(scratch_memory::PASS);
    }
    // Now addresses and system values are integer arithmetic.
    p.run_pass(simplify_integers::PASS);
    // In this second run all operations are in their final form, and each access names its storage.
    p.run_pass(hoist_invariants::PASS);
    if !target.costs.lane_by_lane && target.abi == Abi::Physical {
        // Addresses are numbers, between which a select chooses. The passes below unroll loops without branches.
        p.run_pass(speculate_loads::PASS);
    }
    if target.costs.lane_by_lane && target.features.subgroup_shuffle && target.abi == Abi::Physical {
        // This pass comes before the passes that unroll the same loops.
        p.run_pass(share_loads::PASS);
    }
    if target.quirks.counted_loops {
        // All passes that make loops smaller have run; `late` dissolves the blocks that this pass creates.
        p.run_pass(unroll_loops::PASS);
    } else if !target.costs.lane_by_lane {
        // Loop-invariant addresses have been hoisted; `late` merges the computations that the copies share.
        p.run_pass(batch_loads::PASS);
        // This pass takes the loops that `batch_loads` leaves.
        p.run_pass(interleave::PASS);
        // `share_offsets` recognizes equal sums only if equal terms are one value.
        p.run_pass(cse::PASS);
        // This pass comes after the last `hoist_invariants`, which would take the sums apart again.
        p.run_pass(share_offsets::PASS);
        // Sums have their constants now.
        p.run_pass(scale_indices::PASS);
    }
    // Vectors of bytes are loaded and stored as words now; `late` removes the vectors that nothing uses any more.
    p.run_pass(permute_bytes::PASS);
    // The passes that examine or copy loops have run, and branches between shifts are selections.
    p.run_pass(choose_shifts::PASS);
    // All passes that make numbers of bits constant have run; `late` merges the halves of equal numbers.
    p.run_pass(split_rotations::PASS);
    if !target.costs.lane_by_lane && target.features.int64 {
        // After the passes that replicate loops, for which the branches would be in the way; `late` merges what they compute twice.
        p.run_pass(narrow_divisions::PASS);
    }
    p.fixpoint(
        "late",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    if !target.features.int64 {
        // After the last fixpoint: all passes that profit from whole integers have run.
        p.run_pass(lower_int64::PASS);
        // High words of extended integers are 0, and equal halves are one value.
        p.fixpoint(
            "words",
            &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
        );
    }
    if !target.quirks.counted_loops {
        // All passes that look at hints have run, and bodies of loops have their final size.
        p.run_pass(keep_loops::PASS);
    }
    if target.quirks.mixed_lanes {
        // After the last fixpoint: all passes that profit from vectors have run.
        p.run_pass(scalarize_integers::PASS);
        // Operations that do not work lane by lane still take lanes out of vectors that the pass has put together.
        p.run_pass(const_fold::PASS);
        // The pass takes a lane of a vector at each of its uses.
        p.run_pass(cse::PASS);
        p.run_pass(dce::PASS);
    }
    if target.widens_integers() {
        // After the last fixpoint, which computes comparisons of extended integers in the narrow type.
        p.run_pass(widen_integers::PASS);
        // The pass extends a value at each of its uses.
        p.run_pass(cse::PASS);
        p.run_pass(dce::PASS);
    }
    if target.is_gpu() {
        // After the last fixpoint: indices are final. Drivers for CPUs access memory lane by lane.
        p.run_pass(merge_private::PASS);
    }
    if divide_doubles::is_for(target) {
        // After all passes that replicate quotients, and before operands of its operations are hidden.
        p.run_pass(divide_doubles::PASS);
    }
    if hide_operands::is_for(target) {
        // After the last fixpoint, which would fold the hidden values.
        p.run_pass(hide_operands::PASS);
    }
    if target.quirks.idle_lanes {
        // All passes that examine or copy loops have run, and the last fixpoint. The `if` counts for
        // `limit_nesting`.
        p.run_pass(guard_loops::PASS);
    }
    if target.quirks.counted_loops {
        // After the passes that change the number of iterations. The code around the kernel's body counts for
        // `limit_nesting`.
        p.run_pass(report_ended_loops::PASS);
    }
    if target.limits.nesting != u32::MAX {
        // This pass may create multi-level exits, which `lower_exits` lowers. The fixpoint `late` would undo
        // its changes.
        p.run_pass(limit_nesting::PASS);
    }
    // All passes above may create multi-level exits.
    p.run_pass(lower_exits::PASS);
    if target.quirks.loop_values {
        // This pass comes after the last fixpoint, which would simplify the carried values away.
        p.run_pass(carry_exit_values::PASS);
    }
    if target.limits.nesting != u32::MAX {
        // This pass checks the final control flow, which the driver gets.
        p.run_pass(check_nesting::PASS);
    }
    let profile = inv![
        Ssa,
        Inlined,
        KernelArgs,
        SystemValues,
        Images,
        NoLongVectors,
        ExplicitMemory,
        SelectedArithmetic,
        SpirvExits
    ];
    let words = if target.features.int64 {
        inv![]
    } else {
        inv![NoInt64]
    };
    p.finish(profile.plus(words))
}

/// Returns the passes of all targets, each once, in the order in which they first run.
pub fn all_passes() -> Vec<Pass> {
    let mut other = Target::faulty();
    other.zeroed.private = true;
    other.calibration.fused_fma = [true; 3];
    let mut words = Target::faulty();
    words.features.int64 = false;
    let mut checked = Target::desktop();
    checked.checks = Checks::parse("all").unwrap_or_default();
    let mut list = pipeline(&Target::desktop()).passes();
    let mut emulated = Target::desktop();
    emulated.emulated_matrices = Some(32);
    let mut known = Target::desktop();
    known.matrix_variants = MatrixVariant::emulated(&known.features);
    known.subgroup_size = Some(32);
    for target in [other, words, checked, emulated, known] {
        let mut at = 0;
        for pass in pipeline(&target).passes() {
            match list.iter().position(|p| p.name == pass.name) {
                Some(place) => at = place + 1,
                None => {
                    list.insert(at, pass);
                    at += 1;
                }
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
