//! Diagnostics: `tests/ui/NAME.cl` must give exactly the build log `tests/ui/NAME.log`. `BLESS=1` writes the logs.
//! A first line `// options: …` gives build options. Files included come from the same directory.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/golden.rs"]
mod golden;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use caldera_compiler::diag::Diags;
use caldera_compiler::pp::{self, IncludeResolver};
use caldera_compiler::sema;
use caldera_compiler::source::SourceMap;
use caldera_compiler::syntax;
use caldera_compiler::target::Target;

struct Directory(PathBuf);

impl IncludeResolver for Directory {
    fn resolve(&self, name: &str, _: bool, _: &str, _: &[String]) -> Option<(String, Arc<str>)> {
        let text = std::fs::read_to_string(self.0.join(name)).ok()?;
        Some((name.to_string(), text.into()))
    }
}

fn build_log(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let options = golden::options(&text);
    let name = path.file_name().unwrap().to_str().unwrap().to_string();
    let target = Target::desktop();
    let mut map = SourceMap::default();
    let main = map.add(name, text);
    let mut diags = Diags::default();
    let resolver = Directory(path.parent().unwrap().to_path_buf());
    let tokens = pp::preprocess(&mut map, main, &options, &target, &resolver, &mut diags);
    if !diags.has_errors() {
        let unit = syntax::parse(&tokens, &map, &mut diags);
        if !diags.has_errors() {
            sema::analyze(&unit, &mut map, &options, &target, &mut diags);
        }
    }
    diags.render(&map)
}

#[test]
fn logs() {
    golden::check("ui", "log", build_log);
}
