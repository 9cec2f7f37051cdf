//! Tests Ctrl-C, pressed once and twice.

use crate::fake::{Fake, Given};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn start(fake: &Fake) -> Child {
    fake.command(&fake.run_arguments("out", &["alpha", "--jobs", "1", "--group", "1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn interrupt(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
}

/// Waits until a condition is true, for at most a minute, since the machine may be busy.
#[track_caller]
fn wait_for(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn runs(process: &str) -> bool {
    // A zombie, which has ended and which its parent has not waited for, has no working directory.
    Path::new("/proc").join(process.trim()).join("cwd").exists()
}

#[test]
fn ctrl_c_leaves_a_run_that_goes_on() {
    let fake = Fake::new("interrupt", &[("alpha", "exit_a hang_b pass_c")]);
    let child = start(&fake);
    let sleeping = fake.path("build/test_conformance/alpha/sleeping");
    wait_for("the hanging sub-test", || sleeping.exists());
    wait_for("its number", || {
        !fake.read("build/test_conformance/alpha/sleeping").is_empty()
    });
    interrupt(&child);
    let given = Given::of(child.wait_with_output().unwrap());
    given.ends(130).has(&["interrupted: 1 of 3", "--out out goes on"]);
    assert_eq!(fake.results("out"), ["alpha/exit_a Crash"]);
    let sleeper = fake.read("build/test_conformance/alpha/sleeping");
    wait_for("the end of the hanging process", || !runs(&sleeper));
    let left = std::fs::read_dir(fake.path("out")).unwrap().flatten();
    assert!(
        left.map(|e| e.file_name())
            .all(|n| !n.to_string_lossy().starts_with("running"))
    );

    let given = fake.run("out", &["alpha", "--timeout", "5"]);
    given.has(&["2 to run, 1 done before", "1/3"]);
}

/// The results that the sub-tests of an interrupted process reported before are kept.
#[test]
fn ctrl_c_in_a_group() {
    let fake = Fake::new("midst", &[("alpha", "fail_a hang_b pass_c")]);
    let arguments = fake.run_arguments("out", &["alpha", "--group", "3"]);
    let child = fake
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let sleeping = fake.path("build/test_conformance/alpha/sleeping");
    wait_for("the hanging sub-test", || sleeping.exists());
    interrupt(&child);
    let given = Given::of(child.wait_with_output().unwrap());
    given.ends(130).has(&["interrupted: 1 of 3"]);
    assert_eq!(fake.results("out"), ["alpha/fail_a Fail"]);
}

#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    // The program may ignore SIGTERM: it is killed by SIGKILL.
    let fake = Fake::new("twice", &[("alpha", "hang_a")]);
    let child = start(&fake);
    let sleeping = fake.path("build/test_conformance/alpha/sleeping");
    wait_for("the hanging sub-test", || sleeping.exists());
    interrupt(&child);
    interrupt(&child);
    let given = Given::of(child.wait_with_output().unwrap());
    given.ends(130);
}
