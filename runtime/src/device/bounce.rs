//! Copies between two devices through a bounce buffer: host memory that both devices have imported.
//!
//! The source copies one chunk after the other to the bounce buffer, and the target copies each chunk from there while the source
//! copies the next ones. The host copies nothing, and the links of both devices are busy.

use std::sync::Arc;

use super::{Device, Opened};
use crate::error::Result;
use crate::lock::{Mutex, Rank};
use crate::mem::HostMemory;
use crate::mem::buffer::allocation_error;
use crate::vk;

/// Bytes of a chunk.
const CHUNK: u64 = 8 << 20;

/// The number of chunks in a bounce buffer.
const SLOTS: u64 = 4;

/// The number of chunks by which the source is ahead of the target.
const AHEAD: u64 = 2;

/// The alignment of the host memory in bytes: a multiple of the pages of most systems, and of what devices demand.
const ALIGNMENT: u64 = 65536;

/// A range that is copied between buffers of two devices, at the same place in both.
#[derive(Copy, Clone)]
pub(crate) struct Move<'a> {
    pub source: (&'a Device, &'a vk::Buffer),
    pub target: (&'a Device, &'a vk::Buffer),
    /// Byte offset in both buffers.
    pub at: u64,
    /// Bytes.
    pub size: u64,
}

/// The bounce buffers of a context. One that is in use is not in the list, so the list's lock is not held during a copy.
#[derive(Debug)]
pub(crate) struct BounceBuffers(Mutex<Vec<BounceBuffer>>);

impl BounceBuffers {
    /// Makes an empty list.
    pub(crate) fn new() -> BounceBuffers {
        BounceBuffers(Mutex::new(Rank::Staging, Vec::new()))
    }

    /// Copies a range to another device, and waits; no command may write the range of the source or use that of the target.
    /// Returns `false` if there can be no bounce buffer, because a device does not import host memory.
    pub(crate) fn copy(&self, m: Move<'_>) -> Result<bool> {
        let opened = [m.source.0.opened()?, m.target.0.opened()?];
        let devices = [m.source.1.device(), m.target.1.device()];
        for (opened, device) in opened.iter().zip(devices) {
            opened.check(device)?;
        }
        let known = {
            let mut list = self.0.lock();
            let place = list.iter().position(|b| b.is_between(devices));
            place.map(|i| list.swap_remove(i))
        };
        let Some(bounce) = known.or_else(|| BounceBuffer::new(devices)) else {
            return Ok(false);
        };
        let done = copy(&m, &opened, devices.map(|d| bounce.of(d)));
        let lanes = [&opened[0].downloader, &opened[1].uploader];
        let is_over = || lanes.iter().try_for_each(|lane| lane.wait_for_all()).is_ok();
        // The caller may free the buffers after an error.
        if done.is_ok() || is_over() {
            self.0.lock().push(bounce);
        } else {
            m.source.1.leak();
            m.target.1.leak();
            std::mem::forget(bounce);
        }
        done.map_err(allocation_error).map(|()| true)
    }
}

/// Host memory that two devices have imported.
struct BounceBuffer {
    /// The memory as a buffer of each device. These are dropped before the memory.
    imported: [vk::Buffer; 2],
    _memory: HostMemory,
}

impl std::fmt::Debug for BounceBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BounceBuffer")
    }
}

impl BounceBuffer {
    /// Returns `None` if a device does not import the memory.
    fn new(devices: [&Arc<vk::Device>; 2]) -> Option<BounceBuffer> {
        let size = CHUNK * SLOTS;
        let memory = HostMemory::new(size + ALIGNMENT)?;
        let address = memory.ptr().address() as u64;
        let start = memory.ptr().offset(address.next_multiple_of(ALIGNMENT) - address);
        let [first, second] = devices.map(|device| vk::Buffer::import(device, start, size));
        Some(BounceBuffer {
            imported: [first?, second?],
            _memory: memory,
        })
    }

    /// Returns whether these two devices have imported it.
    fn is_between(&self, devices: [&Arc<vk::Device>; 2]) -> bool {
        let imported = |device| self.imported.iter().any(|b| Arc::ptr_eq(b.device(), device));
        devices.into_iter().all(imported)
    }

    /// Returns the memory as a buffer of a device, which is one of the two.
    fn of(&self, device: &Arc<vk::Device>) -> &vk::Buffer {
        let is_first = Arc::ptr_eq(self.imported[0].device(), device);
        &self.imported[usize::from(!is_first)]
    }
}

/// Copies chunk by chunk, and waits.
fn copy(m: &Move<'_>, opened: &[Arc<Opened>; 2], bounce: [&vk::Buffer; 2]) -> Result<(), vk::AllocError> {
    let [(source, source_device), (target, target_device)] = [
        (&opened[0].downloader, opened[0].logical()),
        (&opened[1].uploader, opened[1].logical()),
    ];
    let chunks = m.size.div_ceil(CHUNK);
    // For each slot, the values of the timelines at which the source has filled it, and the target has emptied it.
    let (mut filled, mut emptied) = ([0; SLOTS as usize], [0; SLOTS as usize]);
    for step in 0..chunks + AHEAD {
        if step < chunks {
            let (slot, region) = part(m, step);
            target.wait(emptied[slot])?;
            filled[slot] = source.submit_copy(source_device, m.source.1, bounce[0], region, true)?;
        }
        if let Some(chunk) = step.checked_sub(AHEAD) {
            let (slot, region) = part(m, chunk);
            source.wait(filled[slot])?;
            let back = vk::CopyRegion {
                src: region.dst,
                dst: region.src,
                size: region.size,
            };
            // If the buffer has a BAR mapping, the host may read the contents through it.
            let to_host = m.target.1.bar_mapping().is_some();
            emptied[slot] = target.submit_copy(target_device, bounce[1], m.target.1, back, to_host)?;
        }
    }
    emptied.into_iter().try_for_each(|value| target.wait(value))
}

/// Returns the slot of a chunk, and the copy of the chunk from the source to the bounce buffer.
fn part(m: &Move<'_>, chunk: u64) -> (usize, vk::CopyRegion) {
    let (start, slot) = (chunk * CHUNK, chunk % SLOTS);
    let region = vk::CopyRegion {
        src: m.at + start,
        dst: slot * CHUNK,
        size: CHUNK.min(m.size - start),
    };
    (slot as usize, region)
}
