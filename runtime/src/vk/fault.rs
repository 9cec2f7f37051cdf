//! Faults on purpose, so that tests reach what drivers seldom do (`CALDERA_DEBUG`: `lose-device`, `no-memory` and
//! `fail-…`, each with a number).
//!
//! A *site* is a call of Vulkan that may fail though the caller is right. Sites of one kind are numbered in the order in
//! which the process comes to them, and the one that the flag names fails once, instead of being called. The log says so (group
//! `vk`, level `info`), so that who tries one number after the other knows when there are no more.

use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;

use super::VkError;
use crate::config::config;

/// The sites of one kind.
struct Sites(AtomicU32);

impl Sites {
    const fn new() -> Sites {
        Sites(AtomicU32::new(0))
    }

    /// The number of the next one. Only asked where a flag needs it: all threads share the count.
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

static ALLOCATIONS: Sites = Sites::new();
static OBJECTS: Sites = Sites::new();
static SUBMISSIONS: Sites = Sites::new();
static WAITS: Sites = Sites::new();

/// A flag of `CALDERA_DEBUG` with its number, and the error that it stands for.
type Flag = (&'static str, Option<u32>, vk::Result);

/// Fails at the site that one of the flags names.
fn site(sites: &Sites, flags: &[Flag], call: &'static str) -> Result<(), VkError> {
    if flags.iter().all(|(_, chosen, _)| chosen.is_none()) {
        return Ok(());
    }
    let count = sites.next();
    match flags.iter().find(|(_, chosen, _)| *chosen == Some(count)) {
        Some((flag, _, error)) => {
            log::info!("{call} fails on purpose ({flag}={count})");
            Err(VkError::new(call, *error))
        }
        None => Ok(()),
    }
}

/// What becomes of an allocation of device memory.
pub(super) fn allocation(call: &'static str) -> Result<(), VkError> {
    let debug = &config().debug;
    if debug.no_memory.is_some() || debug.no_memory_from.is_some() {
        let count = ALLOCATIONS.next();
        if debug.no_memory == Some(count) || debug.no_memory_from.is_some_and(|n| count >= n) {
            return Err(VkError::new(call, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        }
    }
    object(call)
}

/// What becomes of a call that makes something, memory included, or records.
pub(super) fn object(call: &'static str) -> Result<(), VkError> {
    let chosen = config().debug.fail_allocation;
    let fail = ("fail-allocation", chosen, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    site(&OBJECTS, &[fail], call)
}

/// What becomes of a submission.
pub(super) fn submission(call: &'static str) -> Result<(), VkError> {
    let debug = &config().debug;
    let flags = [
        ("lose-device", debug.lose_device, vk::Result::ERROR_DEVICE_LOST),
        (
            "fail-submission",
            debug.fail_submission,
            vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        ),
    ];
    site(&SUBMISSIONS, &flags, call)
}

/// What becomes of a wait for the GPU, or of a question how far it is.
pub(super) fn wait(call: &'static str) -> Result<(), VkError> {
    let debug = &config().debug;
    let flags = [
        (
            "lose-device-in-wait",
            debug.lose_device_in_wait,
            vk::Result::ERROR_DEVICE_LOST,
        ),
        ("fail-wait", debug.fail_wait, vk::Result::ERROR_OUT_OF_HOST_MEMORY),
    ];
    site(&WAITS, &flags, call)
}
