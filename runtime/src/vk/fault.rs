//! Fault injection, so that tests reach errors that drivers seldom report (`CALDERA_DEBUG`: `lose-device`,
//! `stop-device`, `no-memory`, `fail-…` and `panic-in-submission`, each with a number).
//!
//! A *site* is a Vulkan call that may fail although the caller is correct. The sites of one class are numbered
//! in the order in which the process reaches them; the call at the site that the flag names is not made once,
//! and an error is reported instead. The log says so (group `vk`, level `info`), so that a test that tries one
//! number after the other knows when there are no further sites.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ash::vk;

use super::VkError;
use crate::config::config;

/// A class of sites, with the number of sites reached so far.
struct Sites(AtomicU32);

impl Sites {
    const fn new() -> Sites {
        Sites(AtomicU32::new(0))
    }

    /// Counts a site and returns its number. This is called only if a flag is set, because all threads share
    /// the counter.
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

static ALLOCATIONS: Sites = Sites::new();
static OBJECTS: Sites = Sites::new();
static SUBMISSIONS: Sites = Sites::new();
static WAITS: Sites = Sites::new();

/// A flag of `CALDERA_DEBUG` with its number, and the error that it injects.
type Flag = (&'static str, Option<u32>, vk::Result);

/// Reports the injected error if one of the flags names this site.
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

/// Reports the error injected into an allocation of device memory, if any.
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

/// Reports the error injected into a call that makes an object, allocates memory or starts or ends recording,
/// if any.
pub(super) fn object(call: &'static str) -> Result<(), VkError> {
    let chosen = config().debug.fail_allocation;
    let fail = ("fail-allocation", chosen, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    site(&OBJECTS, &[fail], call)
}

/// Reports the error injected into a submission, if any.
pub(super) fn submission(call: &'static str) -> Result<(), VkError> {
    let debug = &config().debug;
    if debug.panic_in_submission.is_some() {
        static REACHED: Sites = Sites::new();
        assert_ne!(
            debug.panic_in_submission,
            Some(REACHED.next()),
            "{call} panics on purpose"
        );
    }
    let flags = [
        ("lose-device", debug.lose_device, vk::Result::ERROR_DEVICE_LOST),
        (
            "fail-submission",
            debug.fail_submission,
            vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        ),
    ];
    site(&SUBMISSIONS, &flags, call)?;
    stopped(call)
}

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Returns whether a submission is the one at which the device stops: it is not executed, and only later submissions
/// report an error, as with NVIDIA's driver after an access outside of all allocations.
pub(super) fn stops() -> bool {
    static REACHED: Sites = Sites::new();
    let chosen = config().debug.stop_device;
    let stops = chosen.is_some() && chosen == Some(REACHED.next());
    if stops {
        log::info!("the device stops on purpose");
        STOPPED.store(true, Ordering::Relaxed);
    }
    stops
}

/// Reports the loss of a device that has stopped.
pub(super) fn stopped(call: &'static str) -> Result<(), VkError> {
    match STOPPED.load(Ordering::Relaxed) {
        true => Err(VkError::new(call, vk::Result::ERROR_DEVICE_LOST)),
        false => Ok(()),
    }
}

/// Reports the error injected into a wait for the GPU or a query of its progress, if any.
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
