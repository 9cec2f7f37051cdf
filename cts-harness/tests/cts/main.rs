//! Tests `cargo harness cts` with a fake suite (`tests/fake/suite`) and fake libraries
//! (`tests/fake/loader.c`), so that neither the CTS nor OpenCL is needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

mod expectations;
mod fake;
mod interrupt;
mod loader;
mod reports;
mod running;
