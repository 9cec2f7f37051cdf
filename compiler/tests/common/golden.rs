//! Tests that compare the output for a source with a file in the same directory.

use caldera_compiler::options::Options;
use std::path::{Path, PathBuf};

/// Returns the options in a source's first line, `// options: …`.
pub(crate) fn options(source: &str) -> Options {
    let first = source.lines().next().unwrap_or("");
    let text = first.strip_prefix("// options:").unwrap_or("");
    Options::parse(text).expect("the options of a test are valid")
}

/// Checks that each `tests/DIR/…/NAME.cl` gives the text of `NAME.EXTENSION` in the same directory; `BLESS=1`
/// writes it.
pub(crate) fn check(dir: &str, extension: &str, produce: impl Fn(&Path) -> String) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut work = vec![dir];
    while let Some(dir) = work.pop() {
        for entry in std::fs::read_dir(&dir).expect("the directory exists") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "cl") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let mut failures = String::new();
    for path in &paths {
        let text = produce(path);
        let golden = path.with_extension(extension);
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if text == expected {
            continue;
        }
        if bless {
            std::fs::write(&golden, &text).expect("it can be written");
        } else {
            failures.push_str(&format!(
                "==== {}\n{text}---- expected\n{expected}",
                path.display()
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
