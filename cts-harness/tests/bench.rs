//! Tests `bench` on Caldera with the Vulkan driver of the machine: a part of its cases, once.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of this build's `libcaldera.so`.
fn library() -> PathBuf {
    let dir = Path::new(env!("CARGO_BIN_EXE_caldera-harness")).parent().unwrap();
    // `cargo test` builds the library in `deps`, `cargo build` in the folder above.
    let places = [dir.join("deps/libcaldera.so"), dir.join("libcaldera.so")];
    let found = places.iter().find(|p| p.exists());
    found
        .expect("no libcaldera.so: cargo build -p caldera-icd")
        .clone()
}

fn bench(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_caldera-harness"))
        .arg("bench")
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    (output.status.success(), text.concat())
}

/// Returns the line of standard output that is JSON.
fn json(text: &str) -> Value {
    let line = text.lines().find(|l| l.starts_with('{'));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no JSON in {text}"))).unwrap()
}

#[test]
fn a_platform_alone() {
    let library = library();
    let only = [
        "trivial",
        "kernel, read",
        "4 KiB",
        "saxpy",
        "reduction",
        "histogram local",
        "sort",
        "double",
    ];
    let mut arguments = vec![
        "--platform",
        library.to_str().unwrap(),
        "--quick",
        "--repetitions",
        "1",
    ];
    arguments.extend(["--json", "-"]);
    arguments.extend(only.iter().flat_map(|name| ["--only", name]));
    let (good, text) = bench(&arguments);
    assert!(good, "{text}");
    let run = json(&text);
    assert_eq!(run["sides"][0]["platform"], "Caldera");
    let rows = run["rows"].as_array().unwrap();
    assert!(rows.len() > 15, "{text}");
    for name in only {
        let row = rows.iter().find(|r| r["name"].as_str().unwrap().contains(name));
        let side = &row.unwrap_or_else(|| panic!("no «{name}» in {text}"))["sides"][0];
        let refused = side["refused"].is_string();
        assert!(
            refused || side["wall"]["median"].as_f64().unwrap() > 0.0,
            "{name}: {text}"
        );
    }
}

/// The same library, named twice, still counts as two platforms.
#[test]
fn two_platforms_in_turn() {
    let library = library();
    let library = library.to_str().unwrap();
    let mut arguments = vec![
        "compare",
        library,
        library,
        "--quick",
        "--repetitions",
        "2",
        "--json",
        "-",
    ];
    arguments.extend(["--only", "saxpy", "--only", "kernel, finish"]);
    let (good, text) = bench(&arguments);
    assert!(good, "{text}");
    let run = json(&text);
    for row in run["rows"].as_array().unwrap() {
        if row["sides"][0]["refused"].is_null() {
            assert_eq!(row["ratio"]["repetitions"], 2, "{row}");
        }
    }
    assert!(text.contains("kernel: geometric mean"), "{text}");
}

#[test]
fn an_unknown_platform_is_an_error() {
    let (good, text) = bench(&["--platform", "/nowhere/libnothing.so"]);
    assert!(!good && text.contains("/nowhere/libnothing.so"), "{text}");
}

#[test]
fn rows_are_listed() {
    let (good, text) = bench(&["--list", "--only", "sgemm"]);
    assert!(good);
    assert_eq!(
        text,
        "kernel/sgemm naive\nkernel/sgemm tiled\nkernel/sgemm blocked\n"
    );
}

/// Drivers for CPUs mostly lack the extension that the command needs.
#[test]
fn a_kernel_is_explained() {
    let library = library();
    let source = std::env::temp_dir().join(format!("caldera-explain-{}.cl", std::process::id()));
    let text = "kernel void k(global float4 *p, float3 v, local int *l, long n) {
        l[get_local_id(0)] = (int)n;
        p[get_global_id(0)].xyz = v * N + l[get_local_id(0)];
    }";
    std::fs::write(&source, text).unwrap();
    let explain = |kernel: &str, options: &str| {
        let [source, library] = [&source, &library].map(|p| p.to_str().unwrap());
        let options = format!("--options={options}");
        let arguments = [
            "explain",
            source,
            kernel,
            "--local",
            "32",
            &options,
            "--platform",
            library,
        ];
        bench(&arguments)
    };
    let (good, said) = explain("k", "-D N=2");
    let known = if good {
        "k, work-group [32, 1, 1]"
    } else {
        "VK_KHR_pipeline_executable_properties"
    };
    assert!(said.contains(known), "{said}");
    for (kernel, options, expected) in [("absent", "-DN=2", "clCreateKernel"), ("k", "", "error: ")] {
        let (good, said) = explain(kernel, options);
        assert!(!good && said.contains(expected), "{said}");
    }
    std::fs::remove_file(&source).unwrap();
}
