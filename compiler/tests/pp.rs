//! Tests the preprocessor: `tests/pp/NAME.cl` must give the tokens and the log of `tests/pp/NAME.out`, which
//! `BLESS=1` writes. A first line `// options: …` sets build options. Every token's position must be inside
//! its file.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/golden.rs"]
mod golden;

use std::path::{Path, PathBuf};

use caldera_compiler::diag::Diags;
use caldera_compiler::pp::{self, IncludeResolver, Included};
use caldera_compiler::source::SourceMap;
use caldera_compiler::target::Target;

struct Directory(PathBuf);

impl IncludeResolver for Directory {
    fn resolve(&self, name: &str, angled: bool, includer: &str, dirs: &[String]) -> Option<Included> {
        assert!(!includer.is_empty() && dirs.len() < 3);
        let name = if angled {
            format!("angled_{name}")
        } else {
            name.to_string()
        };
        let text = std::fs::read_to_string(self.0.join(&name)).ok()?;
        let text = Ok(text.into());
        Some(Included { name, text })
    }
}

fn output(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let options = golden::options(&text);
    let name = path.file_name().unwrap().to_str().unwrap().to_string();
    let mut map = SourceMap::default();
    let main = map.add(name, text);
    let mut diags = Diags::default();
    let resolver = Directory(path.parent().unwrap().to_path_buf());
    let tokens = pp::preprocess(
        &mut map,
        main,
        &options,
        &Target::desktop(),
        &resolver,
        &mut diags,
    );
    for t in &tokens {
        assert!(
            t.span.is_none() || t.span.hi as usize <= map.file(t.span.file).text.len(),
            "{t:?}"
        );
        assert!(
            !t.text(&map).is_empty() || t.kind == pp::TokenKind::Pragma,
            "{t:?}"
        );
    }
    pp::tokens_to_text(&tokens, &map) + &diags.render(&map)
}

#[test]
fn outputs() {
    golden::check("pp", "out", output);
}
