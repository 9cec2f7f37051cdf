//! Faults on purpose, so that tests reach what drivers seldom do (`CALDERA_DEBUG=lose-device=N`, `no-memory=N`,
//! `no-memory-from=N`).

use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;

use crate::config::config;

/// What becomes of a submission: the Nth one loses the device.
pub(super) fn submission() -> Result<(), vk::Result> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    match config().debug.lose_device {
        Some(n) if COUNT.fetch_add(1, Ordering::Relaxed) + 1 == n => Err(vk::Result::ERROR_DEVICE_LOST),
        Some(_) | None => Ok(()),
    }
}

/// What becomes of an allocation: the Nth one fails, or all from the Nth on.
pub(super) fn allocation() -> Result<(), vk::Result> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let debug = &config().debug;
    if debug.no_memory.is_none() && debug.no_memory_from.is_none() {
        return Ok(());
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if debug.no_memory == Some(count) || debug.no_memory_from.is_some_and(|n| count >= n) {
        return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    }
    Ok(())
}
