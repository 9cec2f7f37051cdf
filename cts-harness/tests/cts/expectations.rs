//! Tests expectations, `bless` and `compare`.

use crate::fake::Fake;

const FAILS: &str = "expectations/fake-cpu-fails.txt";

#[test]
fn surprises_both_ways_fail_a_run() {
    let fake = Fake::new("expected", &[("alpha", "pass_a fail_b crash_c")]);
    fake.write(
        FAILS,
        "alpha/crash_c,Crash  # checked: it crashes\nalpha/fail_b,Fail  # checked: 42\n",
    );
    fake.run("out", &["alpha"]).ends(0);
    fake.write(
        FAILS,
        "alpha/crash_c,Crash  # checked\nalpha/fail_b,Fail  # checked\nalpha/pass_a,Fail  # checked\n",
    );
    fake.run("out", &["alpha"])
        .ends(1)
        .has(&["alpha/pass_a: Pass, expected Fail: take it off the list"]);
    fake.write(
        FAILS,
        "alpha/crash_c,Fail  # checked\nalpha/fail_b,Fail,wimpy  # checked\n",
    );
    fake.run("out", &["alpha"])
        .ends(1)
        .has(&["alpha/crash_c: Crash, expected Fail"])
        .lacks("alpha/fail_b: Fail, ");
}

#[test]
fn files_that_are_not_in_order_are_refused() {
    let fake = Fake::new("order", &[("alpha", "pass_a")]);
    for (text, complaint) in [
        ("alpha/a,Fail\n", "has no reason"),
        ("alpha/b,Fail  # x\nalpha/a,Fail  # x\n", "is not sorted"),
        ("alpha/a,Fail  # x\nalpha/a,Fail  # x\n", "has an entry twice"),
        ("alpha/a,Bad  # x\n", "is not name,status"),
    ] {
        fake.write(FAILS, text);
        fake.run("out", &["alpha"]).ends(1).has(&[complaint]);
    }
}

#[test]
fn flakes_count_neither_way() {
    let fake = Fake::new("flakes", &[("alpha", "pass_a fail_b")]);
    fake.write(
        "expectations/fake-cpu-flakes.txt",
        "alpha/fail_*  # checked: depends on the clock\n",
    );
    fake.run("out", &["alpha"])
        .ends(0)
        .has(&["alpha/fail_b: Fail, known to be flaky"]);
}

#[test]
fn skips_are_not_run_and_reported() {
    let fake = Fake::new("skips", &[("alpha", "pass_a hang_b")]);
    fake.write(
        "expectations/fake-cpu-skips.txt",
        "alpha/hang_*  # checked: takes the machine down\n",
    );
    let given = fake.run("out", &["alpha"]);
    given
        .ends(0)
        .has(&["Excluded alpha/hang_b: checked: takes the machine down", "1/2"]);
    assert_eq!(
        fake.results("out"),
        ["alpha/hang_b Excluded", "alpha/pass_a Pass"]
    );
    // Once it is removed from the list, it runs in the same folder.
    fake.write("expectations/fake-cpu-skips.txt", "");
    fake.run("out", &["alpha", "--timeout", "5"])
        .ends(1)
        .has(&["1 to run"]);
}

#[test]
fn bless_wants_reasons() {
    let fake = Fake::new("bless", &[("alpha", "pass_a fail_b crash_c")]);
    fake.write(
        FAILS,
        "alpha/pass_a,Fail  # it did once\nbeta/x,Fail  # of another suite\n",
    );
    fake.run("out", &["alpha"]).ends(1);
    let bless = |more: &[&'static str]| {
        fake.cts(&[&["bless", "out", "--expectations", "expectations"], more].concat())
    };
    let before = fake.read(FAILS);
    bless(&[]).ends(1).has(&[
        "- alpha/pass_a,Fail",
        "+ alpha/fail_b,Fail",
        "ERROR: fail_b",
        "nothing was written",
    ]);
    assert_eq!(fake.read(FAILS), before);
    bless(&["alpha/fail_*", "--reason", "42 is wrong"])
        .ends(0)
        .has(&["+ alpha/fail_b,Fail  # 42 is wrong"]);
    bless(&["alpha/crash_*", "--reason", " "]).ends(1);
    bless(&["--mode-only"])
        .ends(1)
        .has(&["+ alpha/crash_c,Crash,wimpy"]);
    bless(&["--reason", "a fault of the device"]).ends(0);
    assert_eq!(
        fake.read(FAILS),
        "alpha/crash_c,Crash  # a fault of the device\nalpha/fail_b,Fail  # 42 is wrong\nbeta/x,Fail  # of another suite\n"
    );
    bless(&[]).ends(0).has(&["nothing changes"]);
    fake.run("out", &["alpha"]).ends(0);
}

#[test]
fn bless_shows_before_it_writes() {
    let fake = Fake::new("review", &[("alpha", "pass_a")]);
    let list = "alpha/pass_a,Fail  # it did once\n";
    fake.write(FAILS, list);
    fake.run("out", &["alpha"]).ends(1);
    let bless = |more: &[&'static str]| {
        fake.cts(&[&["bless", "out", "--expectations", "expectations"], more].concat())
    };
    bless(&[])
        .ends(1)
        .has(&["- alpha/pass_a,Fail", "nothing was written", "--write"]);
    assert_eq!(fake.read(FAILS), list);
    bless(&["--write"]).ends(0);
    assert_eq!(fake.read(FAILS), "");
    // A run with a check (here `--validation`) cannot be blessed, so its failures do not become
    // expectations.
    fake.device("Caldera", "1.0");
    fake.run("checked", &["alpha", "--validation"]);
    fake.cts(&["bless", "checked", "--expectations", "expectations"])
        .ends(1)
        .has(&["was made with validation"]);
}

#[test]
fn compare_tells_what_changed() {
    let fake = Fake::new("compare", &[("alpha", "pass_a mend_b")]);
    fake.run("one", &["alpha"]).ends(1);
    fake.write("build/test_conformance/alpha/mended", "");
    fake.run("two", &["alpha"]).ends(0);
    fake.cts(&["compare", "one", "two"])
        .ends(0)
        .has(&["+ alpha/mend_b: Fail -> Pass", "1 changed, 0 for the worse"]);
    fake.cts(&["compare", "two", "one"])
        .has(&["- alpha/mend_b: Pass -> Fail", "1 for the worse"]);
    fake.device("Fake", "2.0");
    fake.run("three", &["alpha"]).ends(0);
    fake.cts(&["compare", "one", "three"])
        .ends(1)
        .has(&["the drivers differ", "--force"])
        .lacks("changed,");
    fake.cts(&["compare", "one", "three", "--force"])
        .ends(0)
        .has(&["1 changed"]);
    // Runs on different platforms are compared on purpose, so their drivers may differ.
    fake.device("Other", "2.0");
    fake.run("four", &["alpha"]).ends(0);
    fake.cts(&["compare", "one", "four"])
        .ends(0)
        .has(&["Fake on Thing", "Other on Thing"]);
    fake.cts(&["compare", "one", "nowhere"])
        .ends(1)
        .has(&["is no run folder"]);
}
