//! The pipelines that are tested, and what is in them.

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::pass::{Pass, pipeline};
use caldera_compiler::target::Target;

/// Passes that change nothing that the generator makes; other tests compare before and after.
pub(crate) const TESTED_ELSEWHERE: [&str; 4] = [
    // It counts only; its unit tests.
    "check_nesting",
    // It looks only; `filetests/gather_pointer_uses`.
    "gather_pointer_uses",
    // `tests/images.rs`: reads with every sampler.
    "lower_images",
    // `icd/tests/exec/printf.rs`: what is printed.
    "lower_printf",
];

/// A GPU, a CPU with the faults of its driver, a device with all faults at once, and both kinds of the descriptor ABI.
pub(crate) fn targets() -> Vec<(&'static str, Target)> {
    let mut cpu = Target::faulty();
    cpu.quirks.costly_negation = false;
    cpu.features.fast_fma = false;
    let mut runtime = Target {
        abi: Abi::Descriptor(DescriptorAbi::runtime()),
        ..Target::desktop()
    };
    runtime.features.storage8 = false;
    runtime.features.storage16 = false;
    vec![
        ("a GPU", Target::desktop()),
        ("a CPU", cpu),
        ("a device with faults", Target::faulty()),
        ("clspv", Target::clspv()),
        ("descriptors", runtime),
    ]
}

/// The passes of all of these pipelines, each once.
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

/// What must run before a pass, in the order of the pipeline, so that what it requires holds.
pub(crate) fn required(pass: &Pass) -> Vec<Pass> {
    let all = all_passes();
    let mut wanted = pass.requires;
    let mut list = Vec::new();
    // From the last to the first: what a pass requires that is wanted is wanted, too.
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
