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

/// The whole order, top to bottom. Each line says why it stands where it stands.
pub fn pipeline(target: &Target) -> Pipeline {
    let mut p = Pipeline::default();
    p.run_pass(sroa::PASS); // once in each function, not once in each copy of it
    p.run_pass(mem2reg::PASS);
    p.fixpoint(
        "callees",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.run_pass(inline::PASS); // OpenCL C forbids recursion, so this ends
    p.run_pass(sroa::PASS); // leaves variables of one type each, as mem2reg wants them
    p.run_pass(mem2reg::PASS); // everything below wants to see values, not memory
    p.fixpoint(
        "early",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.while_changed(
        unroll_counted::PASS, // before the next promotion: arrays that it lets have constant indices
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.run_pass(simplify_integers::PASS); // once loops are unrolled: their copies differ by constants
    p.run_pass(cse::PASS); // addresses of neighbours have one base now
    p.run_pass(forward_memory::PASS); // while pointers lead to kernel arguments
    p.run_pass(hoist_invariants::PASS); // loads, as long as it is known what is written
    p.run_pass(promote_accumulators::PASS); // addresses stand outside of loops now
    if target.abi == Abi::Physical {
        p.run_pass(merge_accesses::PASS); // buffers that are arrays of one type want their lanes
    }
    p.run_pass(gather_pointer_uses::PASS); // while kernels have parameters
    p.run_pass(lower_system_values::PASS); // first: the system's push constants come before the arguments
    p.run_pass(lower_printf::PASS); // reads its slot there; vectors still whole
    p.run_pass(lower_images::PASS); // literal samplers have reached their reads
    p.run_pass(lower_kernel_args::PASS); // lays out what the reads want to know of images and samplers
    p.run_pass(sroa::PASS); // struct arguments are variables now
    p.run_pass(mem2reg::PASS);
    p.run_pass(widen_accesses::PASS); // while vectors are whole
    p.run_pass(lower_long_vectors::PASS); // behind promotion: values may be long, not only accesses
    if target.quirks.lane_by_lane && target.abi == Abi::Physical {
        p.run_pass(pair_words::PASS); // parts of long vectors as well, and before memory has element types
    }
    if target.quirks.double_rounding {
        p.run_pass(round_doubles::PASS); // vectors are short, and folding is still to come
    }
    // Once: `late` does what this leaves.
    p.run_pass(const_fold::PASS);
    p.run_pass(simplify_regions::PASS);
    p.run_pass(dce::PASS);
    p.run_pass(fuse_multiply_add::PASS); // behind folding and cse: a product with two uses is not fused
    p.run_pass(lower_memory::PASS); // needs short vectors, and constant offsets where they can be had
    if target.abi == Abi::Physical {
        p.run_pass(scratch_memory::PASS); // arrays have elements now; its addresses are simplified like others
    }
    p.run_pass(simplify_integers::PASS); // addresses are integers now; system values as well
    p.run_pass(hoist_invariants::PASS); // every operation is there now, and memory has its kinds
    if target.quirks.lane_by_lane && target.features.subgroup_shuffle && target.abi == Abi::Physical {
        p.run_pass(share_loads::PASS); // ahead of what repeats the same loops
    }
    if target.quirks.counted_loops {
        p.run_pass(unroll_loops::PASS); // behind all that makes loops smaller; `late` takes its blocks away
    } else {
        p.run_pass(batch_loads::PASS); // addresses outside of loops stand there now; `late` merges what copies share
        p.run_pass(interleave::PASS); // what that leaves
        p.run_pass(share_offsets::PASS); // behind hoisting, which would take the sums apart again
    }
    p.fixpoint(
        "late",
        &[const_fold::PASS, cse::PASS, simplify_regions::PASS, dce::PASS],
    );
    p.run_pass(lower_exits::PASS); // last: everything above may use exits of any distance
    if target.quirks.loop_values {
        p.run_pass(carry_exit_values::PASS); // nothing may simplify this away again
    }
    if target.limits.nesting != u32::MAX {
        p.run_pass(check_nesting::PASS); // of what the driver gets
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

/// The passes of all targets, each once, in the order in which they first run.
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
