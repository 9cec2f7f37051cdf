//! Tests `cargo harness cts baseline` and `report` on the results of fake suites.

use crate::fake::Fake;

/// A baseline needs the CTS revision or `--force`, its table counts results by kind, and a run with fewer sub-tests
/// does not replace it.
#[test]
fn baselines_and_the_table() {
    let fake = Fake::new(
        "baseline",
        &[("alpha", "pass_a fail_b skip_c"), ("beta", "pass_z crash_y")],
    );
    fake.run("out", &["*"]).ends(1);
    let baseline = |more: &[&'static str]| fake.cts(&[&["baseline", "--baselines", "base"], more].concat());
    // The fake build has no revision, so `baseline` refuses to write without `--force`.
    baseline(&["out"]).ends(1).has(&["CTS revision", "--force"]);
    baseline(&["out", "--force"]).ends(0).has(&["2 suites"]);
    let text = fake.read("base/fake-cpu.txt");
    assert!(text.contains("\n[alpha] wimpy - 20"), "{text}");
    assert!(text.ends_with("\nCrash crash_y\nPass pass_z\n"), "{text}");
    let table = fake.cts(&["report", "--markdown", "--baselines", "base"]);
    table.ends(0).has(&[
        "| suite | Fake, cpu |",
        "| alpha | 1/2 (1 fail) |",
        "| beta | 1/2 (1 crash) |",
        "driver 1.0",
    ]);

    // With a known revision, a complete run is written, and an incomplete one is refused.
    fake.run("less", &["alpha/pass_a"]).ends(0);
    let mut info = fake.read("less/run.json");
    info = info.replace('?', "");
    fake.write("less/run.json", &info);
    fake.write("out/run.json", &fake.read("out/run.json").replace('?', ""));
    baseline(&["out"]).ends(0);
    baseline(&["less"])
        .ends(1)
        .has(&["the run has 1 sub-tests of alpha, the baseline 3"]);
}

/// The HTML page shows the devices, their last results, what changed between runs, and the reasons for expected
/// failures.
#[test]
fn the_page() {
    let fake = Fake::new("page", &[("alpha", "pass_a mend_b fail_c")]);
    let run = [
        "run",
        "--described",
        "device.json",
        "--expectations",
        "expectations",
        "alpha",
    ];
    fake.cts(&run).ends(1);
    fake.write("build/test_conformance/alpha/mended", "");
    fake.cts(&run).ends(1);
    fake.device("Other", "1.0");
    fake.cts(&run).ends(1);
    fake.write(
        "expectations/fake-cpu-fails.txt",
        "alpha/fail_c,Fail  # checked: it is not 42\n",
    );
    fake.cts(&["report", "--baselines", "none", "--expectations", "expectations"])
        .ends(0)
        .has(&["2 devices, 3 runs"]);
    let page = fake.read("target/release/cts/report.html");
    for part in [
        "fake-cpu",
        "other-cpu",
        "2/3",
        "alpha/mend_b: Fail → Pass",
        "ERROR: fail_c is not 42",
        "expected: checked: it is not 42",
        "<pre>",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    // The matrix has the result of the last run (2/3), not that of the first one (1/3).
    assert!(!page.contains("1/3</a>"), "{page}");
}
