//! Tests `accuracy` on Caldera with the Vulkan driver of the machine: a few functions, once.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn accuracy(arguments: &[&str]) -> (bool, String) {
    let dir = Path::new(env!("CARGO_BIN_EXE_caldera-harness")).parent().unwrap();
    // `cargo test` builds the library in `deps`, `cargo build` in the folder above.
    let places = [dir.join("deps/libcaldera.so"), dir.join("libcaldera.so")];
    let library = places.iter().find(|p| p.exists());
    let library = library.expect("no libcaldera.so: cargo build -p caldera-icd");
    let output = Command::new(env!("CARGO_BIN_EXE_caldera-harness"))
        .args(["accuracy", "--json", "-", "--platform"])
        .arg(library)
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    (output.status.success(), text.concat())
}

fn rows(text: &str) -> Vec<Value> {
    let line = text.lines().find(|l| l.starts_with('{'));
    let value: Value = serde_json::from_str(line.unwrap_or_else(|| panic!("no JSON in {text}"))).unwrap();
    value["rows"].as_array().unwrap().clone()
}

#[test]
fn functions_keep_their_limits() {
    let (good, text) = accuracy(&["exp", "sincos", "pow", "x / y", "remquo", "--samples", "20000"]);
    assert!(good, "{text}");
    let rows = rows(&text);
    for row in &rows {
        assert_eq!(
            (&row["wrong"], &row["failed"]),
            (&0.into(), &false.into()),
            "{row}"
        );
        assert!(row["tried"].as_u64().unwrap() > 15_000, "{row}");
    }
    let exp = rows
        .iter()
        .find(|r| r["function"] == "exp" && r["precision"] == "float")
        .unwrap();
    let ulps = exp["ulps"].as_f64().unwrap();
    assert!(ulps > 0.4 && ulps <= 3.0, "{exp}");
    assert!(exp["seconds"].as_f64().unwrap() > 0.0, "{exp}");
    assert!(text.contains("| exp |"), "{text}");
}

#[test]
fn relaxed_functions_are_judged_by_other_limits() {
    let (good, text) = accuracy(&["sin", "log", "--relaxed", "--no-time", "--precision", "float"]);
    assert!(good, "{text}");
    assert!(text.contains("2^-11 absolute"), "{text}");
    let (good, text) = accuracy(&["sine"]);
    assert!(!good && text.contains("«sine»"), "{text}");
}
