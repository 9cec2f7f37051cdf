//! Values that leave loops, in the code for drivers that lose them (`Quirks::loop_values`). No execution test shows whether this code is
//! there: with Mesa 22.3, other changes of loops keep the values of all programs in `icd/tests/exec`.

use crate::generator::program;
use crate::targets::targets;
use crate::{Treatment, pipeline_pass};
use caldera_compiler::diag::Diags;
use caldera_compiler::ir::Module;
use caldera_compiler::pass::{Changed, PassCx};
use caldera_compiler::target::Target;

/// The number of random programs.
const SEEDS: u64 = 24;

/// Returns whether a loop of a program passes values to its exit that it computes, at the end of the pipeline of a target.
fn loses_values(module: &Module, name: &'static str, target: &Target) -> Option<bool> {
    let treatment = Treatment::Pipeline(name, Box::new(target.clone()), None);
    let mut treated = treatment.apply(module).expect("the passes succeed")?.module;
    let mut diags = Diags::default();
    let pass = pipeline_pass("carry_exit_values");
    let changed = (pass.run)(&mut treated, &mut PassCx::new(target, &mut diags));
    Some(changed.expect("the pass succeeds") == Changed::Yes)
}

#[test]
fn values_leave_loops_through_their_headers() {
    let (mut with, mut without) = (0, 0);
    for (name, target) in targets() {
        if !target.quirks.loop_values {
            continue;
        }
        let mut other = target.clone();
        other.quirks.loop_values = false;
        for module in (0..SEEDS).map(program) {
            with += u32::from(loses_values(&module, name, &target) == Some(true));
            without += u32::from(loses_values(&module, name, &other) == Some(true));
        }
    }
    assert_eq!(with, 0);
    // Otherwise the test would tell nothing.
    assert!(without > 0);
}
