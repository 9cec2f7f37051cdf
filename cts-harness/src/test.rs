//! `cargo harness test`: what CI runs.

use crate::artifacts::{cargo, root};
use crate::packages::{
    C_COMPILER, CLINFO, LAVAPIPE, OPENCL_HEADERS, OPENCL_LINK, OPENCL_LOADER, SPIRV_TOOLS, VALIDATION_LAYERS,
    VULKAN_LOADER, ensure,
};
use crate::{Outcome, progress};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these tests (as `cargo test FILTER`), without formatting and lints
    filter: Option<String>,
}

/// Formatting, lints, every test.
pub(crate) fn run(args: &Args) -> Outcome {
    ensure(&[
        &C_COMPILER,
        &VULKAN_LOADER,
        &LAVAPIPE,
        &VALIDATION_LAYERS,
        &SPIRV_TOOLS,
        &OPENCL_LOADER,
        &OPENCL_HEADERS,
        &OPENCL_LINK,
        &CLINFO,
    ])?;
    if let Some(filter) = &args.filter {
        build()?;
        return progress::shown("tests", cargo().args(["test", "--workspace", filter]));
    }
    progress::step("Formatting");
    progress::shown("cargo fmt", cargo().args(["fmt", "--all", "--check"]))?;
    progress::step("Lints");
    progress::shown(
        "cargo clippy",
        cargo().args([
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    build()?;
    progress::step("Tests");
    progress::shown("tests", cargo().args(["test", "--workspace"]))?;
    progress::step("Generated files are current");
    progress::shown(
        "git diff",
        std::process::Command::new("git")
            .current_dir(root())
            .args(["diff", "--exit-code"]),
    )
}

/// The C-ABI tests load the library that this builds.
fn build() -> Outcome {
    progress::step("Library");
    progress::shown(
        "cargo build",
        cargo().args(["build", "--quiet", "--package", "caldera-icd"]),
    )
}
