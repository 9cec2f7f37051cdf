//! `CALDERA_DUMP`. This is one test, because the whole process has one directory, which comes from the environment.

mod support;

use std::path::Path;
use std::sync::Arc;

use caldera_runtime::program::Program;
use support::*;

/// A module with two specialization constants.
const MODULE: &[u8] = include_bytes!("../../compiler/tests/spirv_text/003_scalar.spv");

/// Returns the names of the files of each directory that was written, without their running numbers.
fn written(dir: &Path) -> Vec<Vec<String>> {
    let names = |dir: &Path| -> Vec<String> {
        let files = std::fs::read_dir(dir).expect("directory");
        files
            .map(|f| f.expect("entry").file_name().to_string_lossy().into_owned())
            .collect()
    };
    let steps = names(dir).into_iter().filter(|name| name != "modules");
    steps.map(|step| names(&dir.join(step))).collect()
}

/// Programs that are built, that are compiled and linked, and that come from SPIR-V: each step leaves its input and its
/// stages.
#[test]
fn every_way_to_a_program_is_written() {
    let dir = std::env::temp_dir().join(format!("caldera-dump-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
    unsafe { std::env::set_var("CALDERA_DUMP", &dir) };
    let context = context();
    let mut before = 0;
    let mut steps_with = |input: &str, stages: &[&str]| {
        let all = written(&dir);
        let has = |step: &Vec<String>, part: &str| step.iter().any(|name| name.contains(part));
        let new = all.len() - std::mem::replace(&mut before, all.len());
        assert_eq!(new, 1, "one more step is written: {all:?}");
        let found = all.iter().any(|step| {
            has(step, input) && has(step, "cmdline.txt") && stages.iter().all(|stage| has(step, stage))
        });
        assert!(found, "{input} with {stages:?} is not in {all:?}");
    };

    let source = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }";
    let program = Program::with_source(&context, source.into());
    program.build(&[], "", None).expect("build");
    steps_with("source.cl", &["preprocess", "sema", "passes", "emit"]);

    let source = "kernel void k(global int *p) { p[get_global_id(0)] = 2; }";
    let program = Program::with_source(&context, source.into());
    program.compile(&[], "", Vec::new(), None).expect("compile");
    steps_with("source.cl", &["preprocess", "sema"]);
    let (_, done) = Program::link(&context, &[], "", &[Arc::clone(&program)], None).expect("link");
    done.expect("linked");
    steps_with("object0.ir", &["passes", "emit"]);

    let program = Program::with_il(&context, MODULE).expect("a module");
    program.build(&[], "", None).expect("build");
    steps_with("module.spv", &["import", "passes", "emit"]);
    let _ = std::fs::remove_dir_all(&dir);
}
