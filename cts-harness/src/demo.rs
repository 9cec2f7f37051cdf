//! `cargo harness demo`: runs programs of other projects on Caldera.

use crate::cl;
use crate::packages::{CLINFO, CLPEAK, LAVAPIPE, Need, OPENCL_LOADER, VULKAN_LOADER, ensure};
use crate::{Outcome, artifacts, mandelbrot, progress};
use std::path::PathBuf;
use std::process::Command;

/// What the demo needs.
pub(crate) const NEEDS: [&Need; 5] = [&VULKAN_LOADER, &LAVAPIPE, &OPENCL_LOADER, &CLINFO, &CLPEAK];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file for the picture
    #[arg(long, default_value = "mandelbrot.png")]
    picture: PathBuf,
    /// Leave out clpeak (it takes minutes on a CPU driver)
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    ensure(&NEEDS)?;
    progress::step("Library");
    let library = artifacts::build_library()?;
    let vendors = artifacts::release_dir().join("icd-vendors");
    let vendors = artifacts::icd_vendors(&vendors, &library.to_string_lossy())?;

    progress::step("Devices");
    let devices = cl::open(&library.display().to_string())?;
    let Some(first) = devices.first() else {
        return fail!("Caldera offers no device; `cargo harness doctor` says why");
    };
    for device in &devices {
        say!("  {} ({})", device.name, device.driver);
    }

    progress::step("clinfo, through the system's OpenCL loader");
    progress::shown("clinfo", Command::new("clinfo").env("OCL_ICD_VENDORS", &vendors))?;

    progress::step("Mandelbrot");
    let report = mandelbrot::run(first, &args.picture)?;
    progress::line(&report);

    if args.quick {
        progress::line("clpeak left out (--quick)");
        return Ok(());
    }
    progress::step("clpeak, through the system's OpenCL loader (minutes on a CPU driver)");
    progress::shown("clpeak", Command::new("clpeak").env("OCL_ICD_VENDORS", &vendors))
}
