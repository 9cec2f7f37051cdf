//! Storage of buffers that are gone, for the next ones of the same size: applications make the same temporary buffers
//! again and again, and a driver takes milliseconds to find memory, most of all pinned memory of the host.

use std::ops::Deref;
use std::sync::Arc;

use crate::lock::{Mutex, Rank};
use crate::vk;

/// Smaller ones share blocks, and are quick to allocate.
const LEAST: u64 = 4 << 20;

/// Bytes that are kept at most, of each place; and the part of the device's memory that this is at most.
const MOST: u64 = 256 << 20;
const PART: u64 = 64;

/// What is kept, the oldest first.
pub(crate) struct RecycledStorage {
    /// Bytes, of each place.
    most: u64,
    free: Mutex<Vec<(vk::Place, vk::Buffer)>>,
}

impl std::fmt::Debug for RecycledStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecycledStorage")
    }
}

/// A buffer's storage; kept for another one when it goes.
pub(crate) struct Storage {
    buffer: Option<vk::Buffer>,
    /// `None`: of no use to others.
    home: Option<(Arc<RecycledStorage>, vk::Place)>,
}

impl Deref for Storage {
    type Target = vk::Buffer;
    fn deref(&self) -> &vk::Buffer {
        self.buffer.as_ref().expect("only Drop takes it")
    }
}

impl From<vk::Buffer> for Storage {
    /// Memory of the application's.
    fn from(imported: vk::Buffer) -> Storage {
        Storage {
            buffer: Some(imported),
            home: None,
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if let (Some((recycled, place)), Some(buffer)) = (self.home.take(), self.buffer.take()) {
            recycled.keep(place, buffer);
        }
    }
}

impl RecycledStorage {
    /// For a device with so many bytes of memory.
    pub(super) fn new(memory: u64) -> Arc<RecycledStorage> {
        Arc::new(RecycledStorage {
            most: MOST.min(memory / PART),
            free: Mutex::new(Rank::Staging, Vec::new()),
        })
    }

    /// Storage of `size` bytes: what is kept, or else made by `allocate`. Its contents are undefined.
    pub(crate) fn get(
        self: &Arc<Self>,
        size: u64,
        place: vk::Place,
        allocate: impl FnOnce() -> Result<vk::Buffer, vk::AllocError>,
    ) -> Result<Storage, vk::AllocError> {
        let home = (LEAST..=self.most)
            .contains(&size)
            .then(|| (Arc::clone(self), place));
        let kept = home.as_ref().and_then(|_| {
            let mut free = self.free.lock();
            let at = free
                .iter()
                .rposition(|(p, b)| *p == place && b.size() == vk::Buffer::rounded(size))?;
            Some(free.remove(at).1)
        });
        let buffer = match kept {
            Some(buffer) => {
                log::debug!("{size} bytes: storage of a buffer that is gone");
                buffer
            }
            None => allocate()?,
        };
        Ok(Storage {
            buffer: Some(buffer),
            home,
        })
    }

    fn keep(&self, place: vk::Place, buffer: vk::Buffer) {
        if buffer.device().is_lost() {
            return;
        }
        let mut gone = Vec::new();
        let mut free = self.free.lock();
        free.push((place, buffer));
        let of_place = |(p, _): &(vk::Place, vk::Buffer)| *p == place;
        let mut bytes: u64 = free.iter().filter(|s| of_place(s)).map(|(_, b)| b.size()).sum();
        while bytes > self.most
            && let Some(oldest) = free.iter().position(of_place)
        {
            let (_, buffer) = free.remove(oldest);
            bytes -= buffer.size();
            gone.push(buffer);
        }
        drop(free);
        // The driver takes its time.
        drop(gone);
    }

    /// Gives all of it back to the driver. How many there were.
    pub(super) fn release(&self) -> usize {
        let gone = std::mem::take(&mut *self.free.lock());
        gone.len()
    }
}
