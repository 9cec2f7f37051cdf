//! Tests `corpus` with a fake compiler, for each way in which a compilation can end.

#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn fake(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fake")
        .join(name)
}

/// A folder with units, which is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("caldera-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("p")).unwrap();
        Folder(dir)
    }

    fn unit(&self, id: &str, what: &str) {
        std::fs::write(
            self.0.join("p").join(format!("{id}.cl")),
            format!("/*/{what}*/\n"),
        )
        .unwrap();
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn corpus(dir: &Folder, more: &[&str]) -> (bool, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_caldera-harness"))
        .arg("corpus")
        .arg(&dir.0)
        .arg("--calderac")
        .arg(fake("calderac"))
        // The limit is generous for a busy machine; a compiler that hangs does so for a minute.
        .args(["--timeout", "10"])
        .args(more)
        .output()
        .unwrap();
    let text = [stdout, stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
    (status.success(), text.concat())
}

#[test]
fn every_end_has_its_word_and_its_line() {
    let dir = Folder::new("corpus-ends");
    let ends = [
        ("accept", "accepted"),
        ("reject", "rejected"),
        ("invalid", "invalid"),
        ("internal", "crash"),
        ("crash", "crash"),
        ("hang", "timeout"),
    ];
    for (unit, _) in ends {
        dir.unit(unit, unit);
    }
    let out = dir.0.join("run.jsonl");
    let (good, text) = corpus(&dir, &["--out", out.to_str().unwrap(), "--errors"]);
    assert!(!good && text.contains("5 of 6 units are not accepted"), "{text}");
    assert!(text.contains("rejected: error: no such type '…'"), "{text}");
    let lines = std::fs::read_to_string(&out).unwrap();
    for (unit, word) in ends {
        let line = lines
            .lines()
            .find(|l| l.contains(&format!("\"id\":\"p/{unit}\"")))
            .unwrap();
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (v["outcome"].as_str(), v["project"].as_str()),
            (Some(word), Some("p")),
            "{line}"
        );
        assert_eq!(v["error"].is_null(), unit == "accept", "{line}");
    }
}

#[test]
fn the_index_gives_options_and_clspvs_figures() {
    let dir = Folder::new("corpus-index");
    dir.unit("p-1", "options");
    dir.unit("p-2", "accept");
    dir.unit("not-in-the-index", "reject");
    let index = dir.file(
        "index.tsv",
        "id\tproject\topts\tclspv\tclspv_ms\np-1\tp\t-D X=\"a b\" -w\tyes\t1000000\np-2\tp\t\tcrash\t\np-3\tp\t\tno\t5\n",
    );
    let (good, text) = corpus(&dir, &["--index", index.to_str().unwrap()]);
    assert!(good, "{text}");
    assert!(text.contains("1 units of the index are NOT in"), "{text}");
    assert!(
        text.contains("from the index, 1 units that both accept"),
        "{text}"
    );
    assert!(text.contains("0 units slower"), "{text}");
}

#[test]
fn a_comparison_fails_only_for_what_is_worse() {
    let dir = Folder::new("corpus-compare");
    dir.unit("a", "accept");
    dir.unit("b", "reject");
    let old = dir.0.join("old.jsonl");
    let old = old.to_str().unwrap();
    assert!(!corpus(&dir, &["--out", old]).0);
    let (good, text) = corpus(&dir, &["--compare", old]);
    assert!(good && text.contains("0 worse, 0 better"), "{text}");
    dir.unit("a", "reject");
    dir.unit("b", "accept");
    let (good, text) = corpus(&dir, &["--compare", old]);
    assert!(
        !good && text.contains("worse: p/a: rejected, was accepted"),
        "{text}"
    );
    assert!(text.contains("better: p/b: accepted, was rejected"), "{text}");
}

#[test]
fn clspv_is_measured_in_the_same_run() {
    let dir = Folder::new("corpus-clspv");
    dir.unit("a", "accept");
    let (good, text) = corpus(&dir, &["--clspv", "true"]);
    assert!(good && text.contains("measured in this run, 1 units"), "{text}");
    let (good, text) = corpus(&dir, &["--clspv", "/no/such/clspv"]);
    assert!(!good && text.contains("cannot be started"), "{text}");
}

/// Ctrl-C ends the compiler that hangs, and the report does not mention the units that were not started.
#[test]
fn ctrl_c_ends_it() {
    let dir = Folder::new("corpus-interrupt");
    dir.unit("a", "hang");
    dir.unit("b", "accept");
    let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
    command
        .arg("corpus")
        .arg(&dir.0)
        .arg("--calderac")
        .arg(fake("calderac"));
    command
        .args(["--jobs", "1", "--out"])
        .arg(dir.0.join("out"))
        .env("CALDERA_FAKE_BEGUN", dir.0.join("begun"));
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !dir.0.join("begun").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    assert!(!dir.0.join("out").exists());
}

/// Without a validator no module is reported as valid, and a message says that the validator is missing.
#[test]
fn a_missing_validator_is_not_silent() {
    let dir = Folder::new("corpus-unvalidated");
    dir.unit("invalid", "invalid");
    let bin = dir.0.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for tool in ["sh", "head"] {
        std::os::unix::fs::symlink(Path::new("/bin").join(tool), bin.join(tool)).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_caldera-harness"))
        .arg("corpus")
        .arg(&dir.0)
        .arg("--calderac")
        .arg(fake("calderac"))
        .env("PATH", &bin)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("NOTHING IS VALIDATED") && text.contains("apt-get install"),
        "{text}"
    );
}
