//! `cargo harness doctor`: reports what is installed and what is missing, and how to install it.

use crate::cl;
use crate::packages::{
    C_COMPILER, CLINFO, CLPEAK, LAVAPIPE, MPFR, Need, OPENCL_HEADERS, OPENCL_LINK, OPENCL_LOADER,
    SPIRV_TOOLS, VALIDATION_LAYERS, VULKAN_LOADER,
};
use crate::{Outcome, artifacts, progress, vulkan};

/// Prints the report; fails only if Caldera cannot run at all.
pub(crate) fn run() -> Outcome {
    progress::step("To run OpenCL programs");
    table(&[&VULKAN_LOADER, &LAVAPIPE, &OPENCL_LOADER]);
    progress::step("For `cargo harness demo`");
    table(&[&CLINFO, &CLPEAK]);
    progress::step("For `cargo harness test`");
    table(&[
        &C_COMPILER,
        &OPENCL_HEADERS,
        &OPENCL_LINK,
        &SPIRV_TOOLS,
        &VALIDATION_LAYERS,
    ]);

    progress::step("For `cargo harness accuracy`");
    table(&[&MPFR]);
    progress::step("For `cargo harness cts`");
    say!("  {}", crate::cts::build_in_a_line());

    progress::step("Vulkan devices");
    match vulkan::devices() {
        Ok(devices) => {
            for d in devices {
                say!(
                    "  {} (Vulkan {}.{}, {})",
                    d.name,
                    d.version.0,
                    d.version.1,
                    d.driver
                );
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
    if devices.is_empty() {
        return fail!(
            "no device: install a Vulkan driver (apt-get install mesa-vulkan-drivers for the CPU one); \
             CALDERA_LOG=debug says why a device is left out"
        );
    }
    Ok(())
}

fn table(needs: &[&Need]) {
    for need in needs {
        let state = if (need.found)() {
            "found".into()
        } else {
            format!("MISSING: apt-get install {}", need.package)
        };
        say!("  {:<30} {state}", need.what);
    }
}
