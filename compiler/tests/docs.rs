//! Checks that documents agree with the sources: `docs/passes.md` with the descriptors of the passes (`BLESS=1` writes
//! it), and the decision record of driver faults with the fields of `Quirks`.

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
         What passes ask about a function is in `src/pass/analysis`.\n\
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

/// Each field of `Quirks` has an entry in ADR 7, which tells what goes wrong, what avoids it and which tests show it.
#[test]
fn every_quirk_is_described() {
    let source = include_str!("../src/target.rs");
    let (_, fields) = source.split_once("pub struct Quirks {").unwrap();
    let (fields, _) = fields.split_once("\n}").unwrap();
    let fields: Vec<&str> = fields
        .lines()
        .filter_map(|l| l.trim().strip_prefix("pub ")?.strip_suffix(": bool,"))
        .collect();
    assert!(
        fields.len() > 30,
        "the fields of Quirks were not found: {fields:?}"
    );

    let record = include_str!("../docs/adr/0007-driver-quirks.md");
    for field in fields {
        let entry = record.split_once(&format!("\n### `{field}`\n"));
        let (_, entry) = entry.unwrap_or_else(|| panic!("ADR 7 has no entry for {field}"));
        let entry = entry.split("\n#").next().unwrap();
        for point in ["**Wrong:**", "**Avoided by:**", "**Tests:**"] {
            assert!(entry.contains(point), "ADR 7, {field}: no {point}");
        }
    }
}
