//! A probe of a device that fails for a reason which passes is made again.

mod support;

use std::io::Write;

use caldera_runtime::context::Context;
use support::*;

const CHILD: &str = "CALDERA_TEST_ROLE";

/// In a child, one Vulkan call that makes an object fails.
fn child(arithmetic: &str) {
    let device = device();
    let calls: [(&str, &dyn Fn() -> bool); 3] = [
        ("addresses", &|| device.shares_addresses()),
        ("arithmetic", &|| {
            format!("{:?}", device.target().calibration) == arithmetic
        }),
        ("context", &|| {
            Context::create(std::slice::from_ref(&device), Vec::new(), None).is_ok()
        }),
    ];
    for (name, succeeds) in calls {
        let first = succeeds();
        writeln!(std::io::stdout(), "{name}: {first}").expect("written");
        assert!(first || succeeds(), "{name} does not recover");
    }
}

#[test]
fn failed_probes_are_repeated() {
    if let Ok(arithmetic) = std::env::var(CHILD) {
        return child(&arithmetic);
    }
    let arithmetic = format!("{:?}", device().target().calibration);
    let mut failed = String::new();
    for n in 1..=12 {
        let out = std::process::Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "failed_probes_are_repeated", "--nocapture"])
            .env(CHILD, &arithmetic)
            .env("CALDERA_CL_VERSION", "3.1")
            .env("CALDERA_CACHE", "off")
            .env("CALDERA_DEBUG", format!("fail-allocation={n}"))
            .output()
            .expect("the test is started");
        let text = String::from_utf8_lossy(&out.stdout);
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "call {n}: {text}{errors}");
        for line in text.lines().filter(|l| l.ends_with(": false")) {
            failed += line;
            failed.push('\n');
        }
    }
    assert!(
        failed.contains("arithmetic"),
        "no call makes the measurement fail"
    );
}
