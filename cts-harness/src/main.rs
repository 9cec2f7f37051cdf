//! `cargo harness …`: builds, tests and measures Caldera.
//!
//! The harness depends on none of the other crates: it builds and loads `libcaldera.so` as any OpenCL
//! program does. Each sub-command installs the packages that it needs, on a fresh Debian or Ubuntu that has
//! only Rust.

#[macro_use]
mod messages;

mod accuracy;
mod app;
mod artifacts;
mod bench;
mod campaign;
mod child;
mod cl;
mod corpus;
mod cts;
mod demo;
mod deny;
mod doctor;
mod expectations;
mod files;
mod float_format;
mod install;
mod mandelbrot;
mod package;
mod packages;
mod parallel;
mod process;
mod progress;
mod random;
mod replay;
mod stress;
mod test;
mod types;
mod vulkan;
mod zoo;

use clap::{Parser, Subcommand};
use messages::Failure;
use std::process::ExitCode;

/// Caldera's harness.
#[derive(Parser)]
#[command(
    name = "cargo harness",
    bin_name = "cargo harness",
    about,
    arg_required_else_help = true
)]
struct Cli {
    /// Print the version and the revision of the repository
    #[arg(short = 'V', long)]
    version: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Build the library, list the devices, run clinfo, clpeak and a Mandelbrot through the system's loader
    Demo(demo::Args),
    /// Install what the tests need and run them all
    Test(test::Args),
    /// Report what is found, what is missing and how to install it, and what each device will offer
    Doctor,
    /// Install the library, its registration and calderac for this user or for all users, or remove them
    Install(install::Args),
    /// Build the Python wheel, the Debian packages and the archive, and try them out
    Package(package::Args),
    /// Run the Khronos OpenCL CTS, compare runs, keep expectations
    Cts(Box<cts::Args>),
    /// Run real applications and judge their results
    App(app::Args),
    /// Compile every unit of a corpus of OpenCL C, and compare acceptance, validity, time and memory with
    /// clspv's
    Corpus(corpus::Args),
    /// Compare the math functions of a device with exact values: errors, limits, times
    Accuracy(Box<accuracy::Args>),
    /// Measure an OpenCL platform, or two in turn: builds, launches, transfers, kernels
    Bench(Box<bench::Args>),
    /// Call the API at random from many threads on shared objects and check every result, on any OpenCL
    /// platform
    Stress(stress::Args),
    /// Run random and real programs on several platforms, and report and reduce those that differ, are
    /// refused or crash
    Campaign(campaign::Args),
    /// Run OpenCL programs of others on several platforms, and compare the times of their kernels and their results
    Zoo(Box<zoo::Args>),
    /// Execute captured launches (CALDERA_CAPTURE) again on OpenCL platforms, and compare the results with the captured ones
    /// and with each other
    Replay(Box<replay::Args>),
    /// Execute one captured launch on one device
    #[command(hide = true)]
    ReplayOne(replay::One),
    /// Print platform, device and driver of the OpenCL loader's first device
    #[command(hide = true)]
    Identify,
}

/// The result of a sub-command.
type Outcome = Result<(), Failure>;

fn main() -> ExitCode {
    let Some(command) = Cli::parse().command else {
        say!(
            "cargo harness {} {}",
            env!("CARGO_PKG_VERSION"),
            package::revision()
        );
        return ExitCode::SUCCESS;
    };
    let outcome = match command {
        Command::Demo(args) => demo::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Doctor => doctor::run(),
        Command::Install(args) => install::run(&args),
        Command::Package(args) => package::run(&args),
        Command::Cts(args) => cts::run(&args),
        Command::App(args) => app::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Accuracy(args) => accuracy::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Stress(args) => stress::run(&args),
        Command::Campaign(args) => campaign::run(&args),
        Command::Zoo(args) => zoo::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::ReplayOne(args) => replay::one(&args),
        Command::Identify => cts::print_identity(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            progress::error(&message);
            if child::interrupted() {
                ExitCode::from(130)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
