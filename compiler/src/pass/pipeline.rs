//! The order of the passes.

use super::{Pipeline, dce, inline, lower_exits, mem2reg, simplify_regions};
use crate::inv;
use crate::target::Target;

/// The whole order, top to bottom. Each line says why it stands where it stands.
pub fn pipeline(_target: &Target) -> Pipeline {
    let mut p = Pipeline::default();
    p.run_pass(inline::PASS); // OpenCL C forbids recursion, so this ends
    p.run_pass(mem2reg::PASS); // everything below wants to see values, not memory
    p.fixpoint("early", &[simplify_regions::PASS, dce::PASS]);
    p.run_pass(lower_exits::PASS); // last: everything above may use exits of any distance
    p.finish(inv![Ssa, Inlined, SpirvExits])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_stands_where_its_requirements_hold() {
        assert!(!pipeline(&Target::desktop()).passes().is_empty());
    }
}
