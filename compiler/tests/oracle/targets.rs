//! The pipelines under test, and the passes in them.

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::pass::{Pass, pipeline};
use caldera_compiler::target::Target;

/// Passes that do not change any generated program; other tests compare their results.
pub(crate) const TESTED_ELSEWHERE: [&str; 16] = [
    // Random programs have no asynchronous copies. `filetests/check_copies` and the checker's execution tests test it.
    "check_copies",
    // This pass only refuses; `filetests/check_matrices` tests it.
    "check_matrices",
    // Random programs do not choose between shifts. `filetests/choose_shifts` and `icd/tests/exec/chosen_shifts.cl` test it.
    "choose_shifts",
    // This pass only counts; it has unit tests, and `filetests/check_nesting`.
    "check_nesting",
    // Random programs have few quotients of double. The pass has a unit test, which compares 60,000 quotients with those of the processor, and
    // `filetests/divide_doubles` and `icd/tests/exec/quotients_double.cl` test it.
    "divide_doubles",
    // Random programs require no size of sub-groups. `exec::divided_sub_groups_are_sub_groups` tests it.
    "divide_subgroups",
    // Few random programs have sums of products of bytes that are not constant. `filetests/fuse_dot_products` and
    // `icd/tests/exec/dot_products.cl` test it, the latter in the oracle, too.
    "fuse_dot_products",
    // This pass only analyses; `filetests/gather_pointer_uses` tests it.
    "gather_pointer_uses",
    // `tests/images.rs` tests reads with every sampler.
    "lower_images",
    // Random programs have no matrices. `tests/il/recent/matrices.spvasm` and `filetests/lower_matrices` test it.
    "lower_matrices",
    // `icd/tests/exec/printf.rs` tests the printed text.
    "lower_printf",
    // Few random programs load from one buffer in both arms of a branch. `filetests/sink_loads` and
    // `icd/tests/exec/loads_after_branches.cl` test it.
    "sink_loads",
    // Few random programs load in one arm of a branch alone. `filetests/speculate_loads` and
    // `icd/tests/exec/speculation.cl` test it.
    "speculate_loads",
    // Few random programs store several bytes in a row. `filetests/gather_stores` and `icd/tests/exec/gathered_stores.cl` test it.
    "gather_stores",
    // Random programs have no masked sums of one value as indices. `filetests/scale_indices` and
    // `icd/tests/exec/in_place.cl` test it.
    "scale_indices",
    // Few random programs have rows in private arrays. `filetests/merge_private` and `icd/tests/exec/private_rows.cl` test it.
    "merge_private",
];

/// Returns the targets: a GPU, a CPU with the faults of its driver, one without the limit of iterations, a device with all faults at once, both
/// variants of the descriptor ABI, a GPU on which arrays of different types may be in the same local memory, one without
/// arithmetic of 8-bit and 16-bit integers, one without 64-bit integers, and a device with descriptors that has neither.
pub(crate) fn targets() -> Vec<(&'static str, Target)> {
    let mut cpu = Target::faulty();
    cpu.costs.costly_negation = false;
    cpu.features.fast_fma = false;
    cpu.features.integer_dot_product = false;
    // No program of the generator nests deeper than llvmpipe follows. Each of the loops around a condition needs
    // two or three levels of their own, and a program may have three of them.
    cpu.limits.nesting = 8;
    let mut newer = cpu.clone();
    newer.quirks.counted_loops = false;
    let mut runtime = Target {
        abi: Abi::Descriptor(DescriptorAbi::runtime()),
        ..Target::desktop()
    };
    runtime.features.storage8 = false;
    runtime.features.storage16 = false;
    let mut views = Target::desktop();
    views.features.workgroup_layout = true;
    let mut words = Target::desktop();
    words.features.int8 = false;
    words.features.int16 = false;
    words.features.workgroup_layout = false;
    let mut pairs = Target::desktop();
    pairs.features.int64 = false;
    // The least that a device offers.
    let mut least = Target {
        abi: Abi::Descriptor(DescriptorAbi::runtime()),
        ..Target::faulty()
    };
    least.features.int8 = false;
    least.features.int16 = false;
    least.features.int64 = false;
    least.features.storage8 = false;
    least.features.storage16 = false;
    vec![
        ("a GPU", Target::desktop()),
        ("a CPU", cpu),
        ("a CPU whose driver does not limit loops", newer),
        ("a device with faults", Target::faulty()),
        ("clspv", Target::clspv()),
        ("descriptors", runtime),
        ("a GPU with several types of local memory", views),
        ("a GPU without 8-bit and 16-bit integers", words),
        ("a GPU without 64-bit integers", pairs),
        ("descriptors and 32-bit integers only", least),
    ]
}

/// Returns the passes of all these pipelines, each once.
pub(crate) fn all_passes() -> Vec<Pass> {
    let mut list = pipeline::all_passes();
    for (_, target) in targets() {
        for pass in pipeline::pipeline(&target).passes() {
            if list.iter().all(|p| p.name != pass.name) {
                list.push(pass);
            }
        }
    }
    list
}

/// Returns the passes that must run before a pass, in the order of the pipeline, to establish the invariants
/// that it requires.
pub(crate) fn required(pass: &Pass) -> Vec<Pass> {
    let all = all_passes();
    let mut wanted = pass.requires;
    let mut list = Vec::new();
    // The list is searched from the end, so the requirements of a required pass are found too.
    for other in all.iter().rev() {
        let useful = other.establishes.iter().any(|i| wanted.contains(i));
        if useful && other.name != pass.name {
            wanted = wanted.plus(other.requires);
            list.push(*other);
        }
    }
    list.reverse();
    list
}
