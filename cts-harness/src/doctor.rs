//! `cargo harness doctor`: reports what is installed and what is missing, and how to install it.

use crate::cl;
use crate::packages::{LAVAPIPE, MPFR, Need, OPENCL_LOADER, VULKAN_LOADER, VULKAN_VARIABLES};
use crate::{Failure, Outcome, artifacts, demo, progress, test, vulkan};

/// Caldera's own variables that can hide every device.
const OWN_VARIABLES: [&str; 4] = [
    "CALDERA_DEBUG",
    "CALDERA_DEVICE",
    "CALDERA_VISIBLE_DEVICES",
    "CALDERA_VULKAN_LIBRARY",
];

/// Prints the report; fails only if Caldera cannot run at all.
pub(crate) fn run() -> Outcome {
    let hiding: Vec<String> = OWN_VARIABLES
        .iter()
        .chain(&VULKAN_VARIABLES)
        .filter_map(|v| Some(format!("{v}={}", std::env::var_os(v)?.display())))
        .collect();
    if !hiding.is_empty() {
        progress::step("Variables that can hide devices");
        hiding.iter().for_each(|variable| say!("  {variable}"));
    }
    progress::step("To run OpenCL programs");
    let mut listed = Vec::new();
    table(&[&VULKAN_LOADER, &LAVAPIPE, &OPENCL_LOADER], &mut listed);
    progress::step("For `cargo harness demo`");
    table(&demo::NEEDS, &mut listed);
    progress::step("For `cargo harness test`");
    table(&test::NEEDS, &mut listed);
    progress::step("For `cargo harness accuracy`");
    table(&[&MPFR], &mut listed);
    progress::step("For `cargo harness cts`");
    say!("  {}", crate::cts::build_in_a_line());

    progress::step("Vulkan devices");
    match vulkan::devices() {
        Ok(devices) => {
            for d in devices {
                let (major, minor) = d.version;
                say!("  {} (Vulkan {major}.{minor}, {})", d.name, d.driver);
            }
        }
        Err(why) => say!("  {why}"),
    }

    progress::step("What Caldera offers");
    let library = artifacts::build_library()?;
    let devices = cl::open(&library.display().to_string())?;
    for device in &devices {
        say!("  {}", device.name);
        for line in device.feature_report()?.lines() {
            say!("    {line}");
        }
    }
    match devices.is_empty() {
        true => Err(Failure(advice(&hiding))),
        false => Ok(()),
    }
}

/// Returns what to do if Caldera offers no device.
fn advice(hiding: &[String]) -> String {
    let log = "CALDERA_LOG=debug says why a device is left out";
    if hiding.is_empty() {
        return format!("no device. {}: {}; {log}", LAVAPIPE.what, LAVAPIPE.advice());
    }
    format!(
        "no device. {} may be the cause: unset it and try again; {log}",
        hiding.join(", ")
    )
}

/// Prints whether each of `needs` is found, except for those that are `listed` already.
fn table(needs: &[&Need], listed: &mut Vec<&'static str>) {
    for need in needs.iter().filter(|need| !listed.contains(&need.what)) {
        let state = if (need.found)() {
            "found".into()
        } else {
            format!("MISSING: {}", need.advice())
        };
        say!("  {:<30} {state}", need.what);
    }
    listed.extend(needs.iter().map(|need| need.what));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_set_is_blamed_before_a_missing_driver() {
        let text = advice(&["CALDERA_DEVICE=nonsense".into()]);
        assert!(
            text.contains("CALDERA_DEVICE=nonsense") && !text.contains("install"),
            "{text}"
        );
        assert!(advice(&[]).contains("mesa-vulkan-drivers"));
    }
}
