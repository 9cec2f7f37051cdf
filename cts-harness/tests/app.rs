//! Tests `app` with fake applications: its judgement, its expectations, and missing programs.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A table of applications, which is deleted at the end of the test.
struct Table(PathBuf);

impl Table {
    fn new(name: &str) -> Table {
        let dir = std::env::temp_dir().join(format!("caldera-app-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("expectations")).unwrap();
        std::fs::write(
            dir.join("device.json"),
            r#"{"platform":"Fake","device":"One","type":"gpu","version":"1","driver":"2","platform_index":3,"device_index":0}"#,
        )
        .unwrap();
        Table(dir)
    }

    /// Adds an application that is a shell script.
    fn app(&self, name: &str, script: &str, more: &str) {
        let text = format!(
            "about = 'a fake'\nneeds = [{{ program = 'sh', install = 'a shell' }}]\n\
             command = ['sh', '-c', '''{script}''']\n{more}\n"
        );
        std::fs::write(self.0.join(format!("{name}.toml")), text).unwrap();
    }

    fn expect(&self, text: &str) {
        std::fs::write(self.expectations(), text).unwrap();
    }

    fn expectations(&self) -> PathBuf {
        self.0.join("expectations/fake-one.txt")
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caldera-harness"));
        command
            .arg("app")
            .arg("--table")
            .arg(&self.0)
            .arg("--described")
            .arg(self.0.join("device.json"))
            .arg("--out")
            .arg(self.0.join("out"))
            .args(more);
        command
    }

    fn run(&self, more: &[&str]) -> (bool, String) {
        let output = self.command(more).output().unwrap();
        let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned());
        (output.status.success(), text.concat())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_environment_leads_to_the_device() {
    let table = Table::new("environment");
    let script = "[ \"$CL_PLATFORM_INDEX $CL_DEVICE_TYPE\" = \"3 gpu\" ] && echo $A && cat input && pwd";
    let more = "prepare = ['sh', '-c', 'echo made > input']\n[environment]\nA = '{platform}::{device}'\n\
                [judge]\ncontains = ['Fake::One', 'made']\nabsent = ['CL_INVALID']";
    table.app("good", script, more);
    let (good, text) = table.run(&[]);
    assert!(good && text.contains("pass 1"), "{text}");
}

#[test]
fn failures_and_unexpected_passes_both_fail() {
    let table = Table::new("expected");
    table.app("bad", "echo oh; exit 3", "");
    table.app("hang", "sleep 60", "timeout = 1");
    table.app("crash", "kill -SEGV $$", "");
    let (good, text) = table.run(&[]);
    assert!(!good && text.contains("3 results are not as expected"), "{text}");
    assert!(
        text.contains("bad: fail, not expected  exit code 3, not 0: oh"),
        "{text}"
    );
    table.expect("bad,fail  # says oh\ncrash,crash  # it does\nhang,timeout  # sleeps\n");
    let (good, text) = table.run(&[]);
    assert!(good, "{text}");
    table.app("bad", "echo mended", "");
    let (good, text) = table.run(&["bad"]);
    assert!(
        !good && text.contains("bad: pass, expected fail: take it off the list"),
        "{text}"
    );
}

const PYTEST: &str = "echo \"t.py::one PASSED [ 30%]\"; echo \"t.py::two SKIPPED (why) [ 60%]\"; \
                      echo \"t.py::three FAILED [100%]\"; exit 1";

#[test]
fn results_of_an_application_have_names_and_numbers() {
    let table = Table::new("pytest");
    table.app("py", PYTEST, "[judge]\nresults = 'pytest'");
    let (good, text) = table.run(&["py", "--bless"]);
    assert!(good, "{text}");
    let file = std::fs::read_to_string(table.expectations()).unwrap();
    assert_eq!(file, "py,pass 1 skip 1  #\npy/t.py::three,fail  #\n");
    // The file does not load if a line has no reason.
    let (good, text) = table.run(&["py"]);
    assert!(!good && text.contains("has no reason"), "{text}");
    table.expect("py,pass 1 skip 1  # as of today\npy/t.py::three,fail  # known\n");
    assert!(table.run(&["py"]).0);
    table.expect("py,pass 2 skip 1  # as of today\npy/t.py::three,fail  # known\n");
    let (good, text) = table.run(&["py"]);
    assert!(
        !good && text.contains("pass 1 skip 1, expected pass 2 skip 1"),
        "{text}"
    );
}

#[test]
fn results_of_scripts() {
    let table = Table::new("lines");
    table.app(
        "script",
        "echo PASS one; echo SKIP two; echo FAIL three",
        "[judge]\nresults = 'lines'",
    );
    let (good, text) = table.run(&[]);
    assert!(
        !good && text.contains("script/three: fail, not expected"),
        "{text}"
    );
    table.app("script", "echo nothing", "[judge]\nresults = 'lines'");
    let (good, text) = table.run(&[]);
    assert!(!good && text.contains("it prints no results"), "{text}");
}

#[test]
fn ctrl_c_ends_the_application() {
    let table = Table::new("interrupt");
    table.app("hang", "echo $$ > number; mv number begun; sleep 60", "");
    let mut child = table
        .command(&["--bless"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = table.0.join("out/hang/begun");
    let start = Instant::now();
    while !begun.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    assert!(text.contains("interrupted in hang"), "{text}");
    let number = std::fs::read_to_string(begun).unwrap();
    assert!(!Path::new("/proc").join(number.trim()).join("cwd").exists());
    assert!(!table.expectations().exists());
}

/// Runs a command whose output nobody reads, as in `cargo harness … | head`. Returns its exit code and its messages.
fn unread(command: &mut Command) -> (Option<i32>, String) {
    // The other end is closed before the command starts, so that not even its first line can be written.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn output_that_nobody_reads_ends_the_command() {
    let table = Table::new("unread");
    table.app("first", "sleep 60", "");
    table.app("second", "sleep 60", "");
    assert_eq!(unread(&mut table.command(&["--list"])), (Some(0), String::new()));
    let start = Instant::now();
    let (code, text) = unread(&mut table.command(&[]));
    assert!(
        code == Some(130) && text.contains("interrupted in first"),
        "{text}"
    );
    assert!(start.elapsed() < Duration::from_secs(50));
}

#[test]
fn what_is_missing_is_said_and_fails() {
    let table = Table::new("missing");
    let text = "about = 'a fake'\ncommand = ['no-such-program']\n\
                needs = [{ program = 'no-such-program', install = 'apt-get install no-such-package' }]\n\
                [paths]\nsource = 'from there'\n";
    std::fs::write(table.0.join("gone.toml"), text).unwrap();
    let (good, text) = table.run(&[]);
    assert!(
        !good && text.contains("NOT INSTALLED: apt-get install no-such-package"),
        "{text}"
    );
    assert!(text.contains("--path source=DIR (from there)"), "{text}");
    let (good, text) = table.run(&["--allow-missing"]);
    assert!(
        good && text.contains("NOT INSTALLED and so not checked: gone"),
        "{text}"
    );
    let (good, text) = table.run(&["gnoe"]);
    assert!(
        !good && text.contains("no application is called «gnoe»; there is gone"),
        "{text}"
    );
}
