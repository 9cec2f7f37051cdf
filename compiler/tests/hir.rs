//! Typed HIR: `tests/hir/NAME.cl` must give exactly the text `tests/hir/NAME.hir` (`--emit=hir`), without a
//! diagnostic. `BLESS=1` writes the texts. Built-in functions stay out of these: the library's text is not theirs.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use caldera_compiler::diag::Diags;
use caldera_compiler::options::Options;
use caldera_compiler::pp::{self, IncludeResolver};
use caldera_compiler::source::SourceMap;
use caldera_compiler::target::Target;
use caldera_compiler::{sema, syntax};

struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _: &str, _: bool, _: &str, _: &[String]) -> Option<(String, Arc<str>)> {
        None
    }
}

fn hir(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let options = text
        .lines()
        .next()
        .and_then(|l| l.strip_prefix("// options:"))
        .unwrap_or("");
    let options = Options::parse(options).unwrap();
    let target = Target::desktop();
    let mut map = SourceMap::default();
    let main = map.add(path.file_name().unwrap().to_str().unwrap(), text);
    let mut diags = Diags::default();
    let tokens = pp::preprocess(&mut map, main, &options, &target, &NoIncludes, &mut diags);
    let unit = syntax::parse(&tokens, &map, &mut diags);
    let program = sema::analyze(&unit, &mut map, &options, &target, &mut diags);
    format!("{}{program}", diags.render(&map))
}

#[test]
fn goldens() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hir");
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let mut failures = String::new();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "cl")) {
        let text = hir(path);
        let golden = path.with_extension("hir");
        if text == std::fs::read_to_string(&golden).unwrap_or_default() {
            continue;
        }
        if bless {
            std::fs::write(&golden, &text).unwrap();
        } else {
            failures.push_str(&format!("==== {}\n{text}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
