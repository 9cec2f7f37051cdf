//! Checks that `docs/passes.md` agrees with the descriptors of the passes; `BLESS=1` writes it.

use caldera_compiler::pass::pipeline;
use caldera_compiler::verify::Invariants;
use std::fmt::Write as _;
use std::path::Path;

fn names(set: Invariants) -> String {
    let list: Vec<String> = set.iter().map(|i| format!("{i:?}")).collect();
    list.join(", ")
}

#[test]
fn passes_table_is_current() {
    let mut text = String::from(
        "# Passes\n\nThe passes are listed in the order in which they first run; `src/pass/pipeline.rs` has the whole order and its reasons.\n\
         The table is generated from the descriptors (`BLESS=1 cargo test -p caldera-compiler --test docs`).\n\n\
         | pass | what it does | requires | establishes |\n|---|---|---|---|\n",
    );
    for p in pipeline::all_passes() {
        let (requires, establishes) = (names(p.requires), names(p.establishes));
        writeln!(
            text,
            "| `{}` | {} | {requires} | {establishes} |",
            p.name, p.about
        )
        .unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/passes.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(current, text, "docs/passes.md is not current");
}
