//! Tests diagnostics: `tests/ui/…/NAME.cl` must give exactly the build log `NAME.log` in the same directory.
//! `BLESS=1` writes the logs. A first line `// options: …` sets build options; a line `// without: …` removes
//! extensions, features, or `images`, from the device. With `// device: 3.1`, it has that version and all features. Included files come from the same directory.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/golden.rs"]
mod golden;

use std::path::{Path, PathBuf};
use std::time::Duration;

use caldera_compiler::driver::{Dump, Input, Observer, Stage, compile_observed};
use caldera_compiler::pp::{IncludeResolver, Included};
use caldera_compiler::target::Target;

struct Directory(PathBuf);

impl IncludeResolver for Directory {
    fn resolve(&self, name: &str, _: bool, _: &str, _: &[String]) -> Option<Included> {
        let text = std::fs::read_to_string(self.0.join(name)).ok()?;
        let (name, text) = (name.to_string(), Ok(text.into()));
        Some(Included { name, text })
    }
}

/// Stops after the semantic analysis, because later stages report no errors of the program.
struct FrontEnd;

impl Observer for FrontEnd {
    fn wants(&self, _: Stage) -> bool {
        false
    }
    fn dump(&mut self, _: Stage, _: &str, _: Dump) {}
    fn time(&mut self, _: Stage, _: Option<&'static str>, _: Duration) {}
    fn stop_after(&self, stage: Stage) -> bool {
        stage == Stage::Sema
    }
}

fn build_log(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mut target = Target::desktop();
    if text.lines().any(|l| l == "// device: 3.1") {
        target = target.latest();
    }
    for line in text.lines().take_while(|l| l.starts_with("//")) {
        if let Some(names) = line.strip_prefix("// without:") {
            target
                .extensions
                .retain(|e| !names.split_whitespace().any(|n| n == e));
            let is_named = |f: &String| names.split_whitespace().any(|n| n == f);
            target.c_features.retain(|f| !is_named(f));
            if names.split_whitespace().any(|n| n == "cl_khr_subgroups") {
                target.features.subgroups = false;
            }
            if names.split_whitespace().any(|n| n == "cl_khr_cooperative_matrix") {
                target.features.matrices = false;
            }
            if names.split_whitespace().any(|n| n == "images") {
                target.features.images = false;
            }
        }
    }
    let input = Input {
        name: path.file_name().unwrap().to_str().unwrap(),
        source: &text,
        options: &golden::options(&text),
        resolver: &Directory(path.parent().unwrap().to_path_buf()),
    };
    match compile_observed(&input, &target, &mut FrontEnd) {
        Ok(compiled) => compiled.log,
        Err(failed) => failed.log,
    }
}

#[test]
fn logs() {
    golden::check("ui", "log", build_log);
}
