//! Tests a loader that ignores OCL_ICD_VENDORS: the library under test must be put in the loader's place,
//! and the installed implementation must never be tested instead.

use crate::fake::{Fake, Given};
use std::path::Path;
use std::process::Command;

/// Builds a library that ignores the environment, with a device of this name.
fn build(fake: &Fake, file: &str, device: &str) {
    let at = fake.path(file);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/loader.c");
    let done = Command::new("gcc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&at, &source])
        .arg(format!("-DDEVICE=\"{device}\""))
        .status()
        .expect("gcc is installed");
    assert!(done.success());
}

#[test]
fn deaf_loaders() {
    let fake = Fake::new("deaf", &[("alpha", "pass_a")]);
    build(&fake, "loader/libOpenCL.so.1", "installed");
    build(&fake, "asked.so", "asked for");
    let list = |arguments: &[&str]| {
        let mut command = fake.command(&["run", "--device", "none", "alpha"]);
        command
            .args(arguments)
            .env("LD_LIBRARY_PATH", fake.path("loader"));
        Given::of(command.output().unwrap())
    };
    list(&["--library", "asked.so"])
        .ends(1)
        .has(&["there is asked for"])
        .lacks("installed");
    list(&["--platform", "Deaf"])
        .ends(1)
        .has(&["does not obey OCL_ICD_VENDORS"]);
}
