//! `cargo harness …`: everything that one does with Caldera besides writing it.
//!
//! The harness depends on none of the other crates: it builds and loads `libcaldera.so` as any OpenCL program
//! does. Each sub-command does its own set-up on a fresh Debian or Ubuntu that has only Rust.

mod accuracy;
mod app;
mod artifacts;
mod bench;
mod campaign;
mod child;
mod corpus;
mod cts;
mod demo;
mod doctor;
mod icd;
mod mandelbrot;
mod packages;
mod progress;
mod stress;
mod test;
mod vulkan;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Caldera's harness.
#[derive(Parser)]
#[command(name = "cargo harness", bin_name = "cargo harness", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the library, list the devices, run clinfo, clpeak and a Mandelbrot through the system's loader
    Demo(demo::Args),
    /// Install what the tests need and run them all
    Test(test::Args),
    /// What is found, what is missing, what to do about it, and what each device will offer
    Doctor,
    /// Run the Khronos OpenCL CTS, compare runs, keep expectations
    Cts(Box<cts::Args>),
    /// Run real applications and judge what they say
    App(app::Args),
    /// Compile every unit of a corpus of OpenCL C; accepted, valid, time and memory beside clspv's
    Corpus(corpus::Args),
    /// The math functions of a device against exact values: errors, limits, times
    Accuracy(Box<accuracy::Args>),
    /// Measure an OpenCL platform, or two in turn: builds, launches, transfers, kernels
    Bench(Box<bench::Args>),
    /// Threads that call the API at random on shared objects, every result checked; for any OpenCL platform
    Stress(stress::Args),
    /// Random and real programs on several platforms at once: differences, refusals, crashes, reduced programs
    Campaign(campaign::Args),
    /// Platform, device and driver of the OpenCL loader's first device
    #[command(hide = true)]
    Identify,
}

/// What a sub-command comes to.
type Outcome = Result<(), Failure>;

/// Why a sub-command stopped: one message for a person, with what to do about it.
#[derive(Debug)]
struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(e: E) -> Self {
        Failure(e.to_string())
    }
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Doctor => doctor::run(),
        Command::Cts(args) => cts::run(&args),
        Command::App(args) => app::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Accuracy(args) => accuracy::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Stress(args) => stress::run(&args),
        Command::Campaign(args) => campaign::run(&args),
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
