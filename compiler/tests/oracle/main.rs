//! Passes preserve meaning: random programs, interpreted before and after.
//!
//! Random programs have fixed seeds, so a failure names its seed for good; the programs of the execution tests
//! (`icd/tests/exec`) must compute what they state, before and after the passes.

mod arithmetic;
#[path = "../../../icd/tests/exec/exact.rs"]
#[allow(dead_code, reason = "the execution tests need more of it")]
mod exact;
mod exec;
#[path = "../../../icd/tests/exec/expr.rs"]
mod expr;
mod facts;
#[path = "../../../icd/tests/exec/file.rs"]
mod file;
mod generator;
mod reference;
#[path = "../../../icd/tests/exec/scalar.rs"]
mod scalar;

/// What the exact numbers of the execution tests draw theirs from.
mod lab {
    pub(crate) use crate::generator::Random;
}

use caldera_compiler::diag::Diags;
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::inv;
use caldera_compiler::ir::Module;
use caldera_compiler::pass::{Pass, PassCx, pipeline};
use caldera_compiler::target::Target;
use caldera_compiler::verify;
use generator::{BUFFER, program};

/// The trace that a program leaves.
fn execute(module: &Module, seed: u64) -> Result<Vec<u8>, String> {
    let mut memory = Memory::default();
    let buffer = memory.add(vec![0; BUFFER]);
    let word = |n: u64| Arg::Bytes((n as u32).to_le_bytes().to_vec());
    let other = memory.add(vec![0; BUFFER]);
    let args = [
        word(seed % 7),
        word(seed % 5 + 1),
        Arg::Pointer(buffer),
        Arg::Pointer(other),
    ];
    let launch = Launch {
        groups: [1; 3],
        local: [2, 1, 1],
        steps: 20_000,
    };
    match interp::launch(module, 0, &args, launch, &mut memory) {
        Ok(()) => Ok([memory.object(buffer), memory.object(other)].concat()),
        Err(e) => Err(e.to_string()),
    }
}

fn named(name: &str) -> Pass {
    let all = pipeline::all_passes();
    *all.iter()
        .find(|p| p.name == name)
        .expect("a pass of the pipeline")
}

fn apply(module: &mut Module, names: &[&str], seed: u64) {
    let target = Target::desktop();
    let mut diags = Diags::default();
    let mut cx = PassCx::new(&target, &mut diags);
    let mut held = inv![Ssa];
    for name in names {
        let pass = named(name);
        let before = module.to_string();
        if let Err(e) = (pass.run)(module, &mut cx) {
            panic!("seed {seed}: {name}: {e}\n{before}");
        }
        held = held.plus(pass.establishes);
        if let Err(e) = verify::module(module, held, pass.name) {
            panic!("seed {seed}: {e}\n== before ==\n{before}\n== after ==\n{module}");
        }
    }
}

/// So many seeds from `first` on, or as many as `CALDERA_ORACLE_SEEDS` says.
fn seeds(first: u64, count: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var("CALDERA_ORACLE_SEEDS").ok();
    first..first + wanted.map_or(count, |n| n.parse().expect("a number"))
}

fn check(seeds: std::ops::Range<u64>, lists: &[&[&str]]) {
    let mut ended = 0;
    for seed in seeds.clone() {
        let module = program(seed);
        verify::module(&module, inv![Ssa], "the generator").unwrap_or_else(|e| panic!("{e}\n{module}"));
        let expected = execute(&module, seed);
        ended += usize::from(expected.is_ok());
        for names in lists {
            let mut after = module.clone();
            apply(&mut after, names, seed);
            let actual = execute(&after, seed);
            // Where the program itself goes wrong, anything may happen.
            assert!(
                expected.is_err() || actual == expected,
                "seed {seed}: {names:?} changes the result\nexpected {expected:?}\nactual {actual:?}\n{module}\n{after}"
            );
        }
    }
    assert!(
        ended * 2 > seeds.count(),
        "only {ended} programs came to their end"
    );
}

#[test]
fn passes_preserve_meaning() {
    check(
        seeds(0, 16),
        &[
            &["inline"],
            &["inline", "dce"],
            &["inline", "simplify_regions"],
            &["inline", "mem2reg"],
            &["inline", "sroa", "mem2reg", "dce"],
            &["inline", "const_fold", "dce"],
            &["inline", "cse"],
            &["inline", "lower_exits"],
            &["inline", "simplify_regions", "lower_exits"],
            &["inline", "hoist_invariants"],
            &["inline", "mem2reg", "hoist_invariants"],
            &["inline", "simplify_integers"],
            &["inline", "forward_memory"],
            &["inline", "merge_accesses"],
            &[
                "inline",
                "cse",
                "forward_memory",
                "merge_accesses",
                "forward_memory",
            ],
            &["inline", "mem2reg", "simplify_integers"],
            &["inline", "unroll_loops"],
            &["inline", "mem2reg", "unroll_counted"],
            &[
                "inline",
                "mem2reg",
                "unroll_loops",
                "simplify_regions",
                "lower_exits",
                "carry_exit_values",
            ],
            &[
                "inline",
                "sroa",
                "mem2reg",
                "const_fold",
                "cse",
                "simplify_regions",
                "dce",
                "lower_exits",
                "carry_exit_values",
            ],
        ],
    );
}

#[test]
fn the_pipeline_preserves_meaning() {
    for target in [Target::faulty(), Target::desktop()] {
        keeps_meaning(&target, seeds(1_000_000, 40));
    }
}

fn keeps_meaning(target: &Target, seeds: std::ops::Range<u64>) {
    let pipeline = pipeline::pipeline(target);
    for seed in seeds {
        let module = program(seed);
        let expected = execute(&module, seed);
        let mut after = module.clone();
        let mut diags = Diags::default();
        let mut cx = PassCx::new(target, &mut diags);
        pipeline
            .run(&mut after, &mut cx)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
        assert_eq!(cx.report.unsettled, [""; 0], "seed {seed}");
        let actual = execute(&after, seed);
        assert!(
            expected.is_err() || actual == expected,
            "seed {seed}\nexpected {expected:?}\nactual {actual:?}\n{module}\n{after}"
        );
    }
}
