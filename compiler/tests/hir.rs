//! Tests the typed HIR: `tests/hir/NAME.cl` must give exactly the text `tests/hir/NAME.hir` (`--emit=hir`)
//! without a diagnostic. `BLESS=1` writes the texts. The sources call no built-in functions, because the
//! texts would then contain the library's functions.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/golden.rs"]
mod golden;

use std::path::Path;

use caldera_compiler::diag::Diags;
use caldera_compiler::pp::{self, NoIncludes};
use caldera_compiler::source::SourceMap;
use caldera_compiler::target::Target;
use caldera_compiler::{sema, syntax};

fn hir(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let options = golden::options(&text);
    let target = Target::desktop();
    let mut map = SourceMap::default();
    let main = map.add(path.file_name().unwrap().to_str().unwrap(), text);
    let mut diags = Diags::default();
    let tokens = pp::preprocess(&mut map, main, &options, &target, &NoIncludes, &mut diags);
    let unit = syntax::parse(&tokens, options.std, &map, &mut diags);
    let program = sema::analyze(&unit, &mut map, &options, &target, &mut diags);
    format!("{}{program}", diags.render(&map))
}

#[test]
fn goldens() {
    golden::check("hir", "hir", hir);
}
