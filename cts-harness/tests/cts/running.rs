//! Tests runs: lists, selections, judgement, crashes, hangs, groups, resuming, and checks.

use crate::fake::Fake;

#[test]
fn a_missing_build_is_explained() {
    let fake = Fake::new("missing", &[]);
    let revision = include_str!("../../revision.txt").trim();
    fake.cts(&["list"]).ends(1).has(&["is no directory", revision]);
    std::fs::create_dir(fake.path("build")).unwrap();
    fake.cts(&["list"]).ends(1).has(&["no test_* program", revision]);
    let mut command = fake.command(&["list"]);
    command.env_remove("CALDERA_CTS_DIR");
    crate::fake::Given::of(command.output().unwrap())
        .ends(1)
        .has(&["no CTS build is named", "--cts"]);
}

#[test]
fn selections() {
    let fake = Fake::new(
        "selections",
        &[("alpha", "pass_a pass_b skip_c"), ("basic", "pass_if pass_loop")],
    );
    fake.cts(&["list", "alpha"])
        .ends(0)
        .has(&["alpha/pass_a\nalpha/pass_b\nalpha/skip_c\n"])
        .lacks("basic");
    fake.cts(&["list", "*/pass_*"])
        .ends(0)
        .has(&["basic/pass_if", "alpha/pass_b"])
        .lacks("skip_c");
    fake.cts(&["list", "basic/pass_if"]).ends(0).lacks("pass_loop");
    fake.cts(&["list", "quick"])
        .ends(0)
        .has(&["basic/pass_loop", "not in this CTS build: ", "computeinfo"]);
    fake.cts(&["list", "alph"])
        .ends(1)
        .has(&["alph is no tier", "there is alpha"]);
    fake.cts(&["list", "alpha/pass_z"])
        .ends(1)
        .has(&["alpha has no sub-test pass_z", "cts list alpha"]);
    fake.cts(&["list", "computeinfo"])
        .ends(1)
        .has(&["computeinfo is not in this CTS build"]);
    // The build does not know its revision.
    fake.cts(&["list"]).has(&["cannot be told"]);
    fake.cts(&["list", "--suites"])
        .ends(0)
        .has(&["Basic", "not in this build"]);
}

#[test]
fn every_way_to_end() {
    let fake = Fake::new(
        "ends",
        &[(
            "alpha",
            "pass_a fail_b skip_c crash_d exit_e hang_f late_g pass_h",
        )],
    );
    let given = fake.run("out", &["alpha", "--timeout", "5", "--group", "1"]);
    given
        .ends(1)
        .has(&["2/7", "not expected", "5 results are not as expected"]);
    let all = [
        "alpha/crash_d Crash",
        "alpha/exit_e Crash",
        "alpha/fail_b Fail",
        "alpha/hang_f Timeout",
        "alpha/late_g Crash",
        "alpha/pass_a Pass",
        "alpha/pass_h Pass",
        "alpha/skip_c Skip",
    ];
    assert_eq!(fake.results("out"), all);
    let lines = fake.read("out/results.jsonl");
    for note in [
        "SIGSEGV",
        "SIGSEGV after its result",
        "no result, exit status 3",
        "ERROR: fail_b is not 42",
        "more than 5 s",
    ] {
        assert!(lines.contains(note), "{note}: {lines}");
    }
    let log = fake.read("out/logs/alpha-pass_a.log");
    assert!(log.contains("environment: cpu 0 1 in alpha"), "{log}");
    assert!(log.contains("arguments: pass_a -w"), "{log}");
}

/// If several sub-tests share a process, a crash or a hang costs only the sub-test that crashes or hangs;
/// the sub-tests after it still run.
#[test]
fn groups_survive_their_members() {
    let fake = Fake::new(
        "groups",
        &[(
            "alpha",
            "pass_a fail_b crash_c pass_d hang_e skip_f exit_g pass_h",
        )],
    );
    fake.run("out", &["alpha", "--timeout", "5", "--group", "8", "--jobs", "1"])
        .ends(1);
    let all = [
        "alpha/crash_c Crash",
        "alpha/exit_g Crash",
        "alpha/fail_b Fail",
        "alpha/hang_e Timeout",
        "alpha/pass_a Pass",
        "alpha/pass_d Pass",
        "alpha/pass_h Pass",
        "alpha/skip_f Skip",
    ];
    assert_eq!(fake.results("out"), all);
    // The log of a sub-test has only its own output.
    let log = fake.read("out/logs/alpha-fail_b.log");
    let (by_hand, said) = log.split_once('\n').unwrap();
    assert_eq!(said, "fail_b...\nERROR: fail_b is not 42\nfail_b FAILED\n");
    let output = std::process::Command::new("sh")
        .args(["-c", by_hand.strip_prefix("$ ").unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(said));
    let together = fake.read("out/logs/alpha-pass_a.log");
    assert!(!together.contains("pass_d"), "{together}");
}

/// Killing a process leaves none of its child processes.
#[test]
fn a_hang_leaves_no_process() {
    let fake = Fake::new("orphans", &[("alpha", "hang_a")]);
    fake.run("out", &["alpha", "--timeout", "5"]).ends(1);
    let sleeper = fake.read("build/test_conformance/alpha/sleeping");
    let gone = || {
        !std::path::Path::new("/proc")
            .join(sleeper.trim())
            .join("cwd")
            .exists()
    };
    for _ in 0..100 {
        if gone() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("process {sleeper} is still there");
}

#[test]
fn rows_pass_their_arguments() {
    let fake = Fake::new(
        "rows",
        &[
            ("allocations", "pass_buffer"),
            ("conversions", "pass_conversions"),
        ],
    );
    fake.run("out", &["allocations", "conversions", "--jobs", "1"])
        .ends(0);
    let log = |name: &str| fake.read(&format!("out/logs/{name}.log"));
    assert!(log("allocations:single-pass_buffer").contains("arguments: single 5 pass_buffer -w\n"));
    assert!(log("allocations:multiple-pass_buffer").contains("arguments: multiple 5 pass_buffer -w\n"));
    // The program would take the name of its only sub-test for the name of a conversion.
    assert!(log("conversions-pass_conversions").contains("arguments: -w\n"));
    // The run for a submission is not in wimpy mode.
    fake.run("full", &["full", "--jobs", "1"]).ends(0);
    let log = fake.read("full/logs/allocations:single-pass_buffer.log");
    assert!(log.contains("arguments: single 5 pass_buffer\n"), "{log}");
}

#[test]
fn a_run_goes_on_where_it_stopped() {
    let fake = Fake::new("resume", &[("alpha", "pass_a mend_b pass_c pass_d")]);
    fake.run("out", &["alpha/pass_a", "alpha/mend_b"]).ends(1);
    // The last line is incomplete, as if the machine had crashed while it was written.
    let torn = fake.read("out/results.jsonl") + "{\"name\":\"alpha/pass_c\",\"sta";
    fake.write("out/results.jsonl", &torn);
    fake.run("out", &["alpha"])
        .ends(1)
        .has(&["2 to run, 2 done before", "3/4"]);
    fake.run("out", &["alpha"]).has(&["0 to run, 4 done before"]);
    fake.write("build/test_conformance/alpha/mended", "");
    fake.run("out", &["alpha", "--again"])
        .ends(0)
        .has(&["1 to run, 3 done before", "4/4"]);
    // Results of another driver must not be mixed with these.
    fake.device("Fake", "2.0");
    fake.run("out", &["alpha"])
        .ends(1)
        .has(&["cannot be continued", "driver", "«1.0»", "«2.0»"]);
}

#[test]
fn only_what_failed() {
    let fake = Fake::new("failures", &[("alpha", "pass_a fail_b mend_c")]);
    fake.run("out", &["alpha"]).ends(1);
    fake.write("build/test_conformance/alpha/mended", "");
    fake.run("next", &["--failures-of", "out"])
        .ends(1)
        .has(&["2 to run"]);
    assert_eq!(fake.results("next"), ["alpha/fail_b Fail", "alpha/mend_c Pass"]);
}

#[test]
fn runs_have_folders_of_their_own() {
    let fake = Fake::new("folders", &[("alpha", "pass_a pass_b")]);
    let run = [
        "run",
        "--described",
        "device.json",
        "--expectations",
        "expectations",
    ];
    let with = |more: &[&'static str]| fake.cts(&[&run, more].concat());
    with(&["alpha", "--resume"])
        .ends(1)
        .has(&["no run of fake-cpu to resume"]);
    with(&["alpha/pass_a"]).ends(0);
    with(&["alpha"]).ends(0).has(&["2 to run, 0 done before"]);
    with(&["alpha", "--resume"])
        .ends(0)
        .has(&["0 to run, 2 done before"]);
}

#[test]
fn checks_fail_what_passes() {
    let fake = Fake::new("checks", &[("alpha", "pass_a layer_b module_c pass_d")]);
    fake.run("foreign", &["alpha", "--validation"])
        .ends(1)
        .has(&["work with Caldera only"]);
    fake.device("Caldera", "1.0");
    let given = fake.run("out", &["alpha", "--validation", "--spirv-val"]);
    given.ends(1).has(&["VUID-fake is hurt", "spirv-val: modules/"]);
    assert_eq!(
        fake.results("out"),
        [
            "alpha/layer_b Fail",
            "alpha/module_c Fail",
            "alpha/pass_a Pass",
            "alpha/pass_d Pass"
        ]
    );
    assert_eq!(std::fs::read_dir(fake.path("out/modules")).unwrap().count(), 1);
    let log = fake.read("out/logs/alpha-layer_b.log");
    assert!(log.contains("validation layer: VUID-fake"), "{log}");
    let by_hand = log.lines().next().unwrap();
    assert!(by_hand.contains("CALDERA_VALIDATION=1"), "{by_hand}");
}
