//! Tests `zoo` with a small program, which runs on Caldera through the system's loader with the layer.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Returns a library of this build.
fn library(name: &str, package: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_BIN_EXE_caldera-harness")).parent().unwrap();
    let places = [dir.join(name), dir.join("deps").join(name)];
    let found = places.iter().find(|p| p.exists());
    found
        .unwrap_or_else(|| panic!("no {name}: cargo build -p {package}"))
        .clone()
}

/// A folder with the program and a manifest.
struct Zoo {
    folder: TempDir,
}

impl Zoo {
    fn new() -> Zoo {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/zoo.c");
        let done = Command::new("cc")
            .args(["-O1", "-Wall", "-Werror", "-o"])
            .args([&folder.path().join("animal"), &source])
            .arg("-lOpenCL")
            .status();
        assert!(done.expect("a C compiler is installed").success());
        let manifest = "[programs.'suite/animal']\nabout = 'A'\ndirectory = '{here}'\ncommand = ['./animal']\n\
                        timeout = 120\njudge.contains = ['PASS']\n";
        std::fs::write(folder.path().join("zoo.toml"), manifest).unwrap();
        Zoo { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program on Caldera twice in turn, with different variables, and returns whether the harness was
    /// content, its output, and the lines of JSON.
    fn run(&self, variables: [&str; 2]) -> (bool, String, Vec<Value>) {
        let caldera = library("libcaldera.so", "caldera-icd");
        let layer = library("libcaldera_layer.so", "caldera-layer");
        let output = Command::new(env!("CARGO_BIN_EXE_caldera-harness"))
            .arg("zoo")
            .arg(self.path("zoo.toml"))
            .args(variables.iter().flat_map(|v| {
                let platform = format!("{}{v}", caldera.display());
                ["--platform".to_owned(), platform]
            }))
            .args(["--repetitions", "2", "--least", "0", "--layer"])
            .arg(&layer)
            .args(["--out".into(), self.path("out")])
            .args(["--json".into(), self.path("json")])
            .args(["--markdown".into(), self.path("tables.md")])
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
        let lines = std::fs::read_to_string(self.path("json")).unwrap();
        let lines = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        (output.status.success(), text.concat(), lines)
    }
}

#[test]
fn launches_are_timed_and_results_compared() {
    let zoo = Zoo::new();
    let (good, text, lines) = zoo.run(["", ",UNUSED=1"]);
    assert!(good, "{text}");
    let program = &lines[0];
    assert_eq!(program["sides"][0]["device"][0], "Caldera", "{text}");
    let results = &program["results"];
    assert_eq!(
        (&results["equal"], &results["unseen"]),
        (&3.into(), &0.into()),
        "{text}"
    );
    assert_eq!(results["steady"], serde_json::json!([true, true]));
    let kernels: Vec<_> = lines[1..]
        .iter()
        .map(|l| {
            (
                l["kernel"].as_str().unwrap(),
                l["launches"].as_u64().unwrap(),
                &l["same"],
            )
        })
        .collect();
    assert_eq!(
        kernels,
        [("fill", 1, &true.into()), ("scale", 4, &true.into())],
        "{text}"
    );
    for line in &lines[1..] {
        assert_eq!(line["options"], "-D SCALE=1.0f");
        for side in line["seconds"].as_array().unwrap() {
            let times: Vec<f64> = side
                .as_array()
                .unwrap()
                .iter()
                .map(|t| t.as_f64().unwrap())
                .collect();
            assert!(
                times.len() == 2 && times.iter().all(|t| *t > 0.0 && *t < 10.0),
                "{line}"
            );
        }
    }
    let tables = std::fs::read_to_string(zoo.path("tables.md")).unwrap();
    assert!(
        tables.contains("| suite | 2 |") && tables.contains("| scale | suite/animal | 4 |"),
        "{tables}"
    );
    // The source is kept, so that `bench explain` can be asked about it.
    let source = lines[1]["source"].as_str().unwrap();
    let source = std::fs::read_to_string(zoo.path(&format!("out/sources/{source}.cl"))).unwrap();
    assert!(source.starts_with("kernel void fill"), "{source}");
}

#[test]
fn other_results_are_reported() {
    let (good, text, lines) = Zoo::new().run(["", ",FACTOR=3"]);
    assert!(
        !good && text.contains("different results: suite/animal"),
        "{text}"
    );
    assert_eq!(lines[0]["results"]["different"], 3, "{text}");
    assert!(lines[0]["results"]["distance"].as_f64().unwrap() > 0.1, "{text}");
}

/// What the program did before it crashed is in the output nevertheless, but not in the statistics.
#[test]
fn a_crash_is_reported() {
    let (good, text, lines) = Zoo::new().run(["", ",CRASH=1"]);
    assert!(!good && text.contains("CRASH: ended by signal 6"), "{text}");
    assert_eq!(lines[0]["sides"][1]["end"], "crash", "{text}");
    assert!(!text.contains("| suite |"), "{text}");
}

/// Without the folder for its report, the layer does nothing; with it, the program sees the same results.
#[test]
fn the_layer_alone() {
    let zoo = Zoo::new();
    let vendors = zoo.path("vendors");
    std::fs::create_dir(&vendors).unwrap();
    let caldera = library("libcaldera.so", "caldera-icd");
    std::fs::write(vendors.join("only.icd"), format!("{}\n", caldera.display())).unwrap();
    let run = |out: Option<&Path>| {
        let mut command = Command::new(zoo.path("animal"));
        command
            .env("OCL_ICD_VENDORS", &vendors)
            .env("OPENCL_LAYERS", library("libcaldera_layer.so", "caldera-layer"))
            .envs(out.map(|o| ("CALDERA_LAYER_OUT", o)));
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "PASS\n");
    };
    run(None);
    let out = zoo.path("reports");
    std::fs::create_dir(&out).unwrap();
    run(Some(&out));
    let reports = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().path());
    let reports: Vec<PathBuf> = reports
        .filter(|p| p.extension().is_some_and(|e| e == "layer"))
        .collect();
    assert_eq!(reports.len(), 1);
    let text = std::fs::read_to_string(&reports[0]).unwrap();
    // Three kinds of launches: `scale` has two sizes.
    assert_eq!(
        text.lines().filter(|l| l.starts_with("launch\t")).count(),
        3,
        "{text}"
    );
    assert!(text.ends_with("missed\t0\t0\n"), "{text}");
}
