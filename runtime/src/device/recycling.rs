//! Recycled storage: the storage of released buffers, for later buffers of the same size. Applications make the
//! same temporary buffers again and again, and drivers take milliseconds to allocate memory, pinned host memory
//! most of all.

use std::ops::Deref;
use std::sync::Arc;

use crate::lock::{Mutex, Rank};
use crate::vk;

/// The least size in bytes of storage that is kept. Smaller buffers share blocks of memory, and are quick to
/// allocate.
const LEAST: u64 = 4 << 20;

/// The storage kept for later buffers, the oldest first.
pub(crate) struct RecycledStorage {
    /// The most bytes kept for each place.
    most: u64,
    free: Mutex<Vec<(vk::Place, vk::Buffer)>>,
}

impl std::fmt::Debug for RecycledStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecycledStorage")
    }
}

/// A buffer's storage; when it is dropped, it is kept for later buffers.
pub(crate) struct Storage {
    buffer: Option<vk::Buffer>,
    /// Where the storage is kept; `None` if it is not to be kept.
    home: Option<(Arc<RecycledStorage>, vk::Place)>,
}

impl Deref for Storage {
    type Target = vk::Buffer;
    fn deref(&self) -> &vk::Buffer {
        self.buffer.as_ref().expect("only Drop takes it")
    }
}

impl From<vk::Buffer> for Storage {
    /// Wraps imported memory of the application, which is not kept.
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
    /// Makes an empty list, which keeps at most `most` bytes for each place.
    pub(super) fn new(most: u64) -> Arc<RecycledStorage> {
        Arc::new(RecycledStorage {
            most,
            free: Mutex::new(Rank::Staging, Vec::new()),
        })
    }

    /// Returns storage of `size` bytes: kept storage if there is some, otherwise storage that `allocate` makes.
    /// Its contents are undefined.
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
        let Some(mut free) = self.free.lock_to_release() else {
            return;
        };
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
        // Freeing memory may take the driver long, so the lock is released first.
        drop(gone);
    }

    /// Frees all kept storage, and returns the number of buffers freed.
    pub(super) fn release(&self) -> usize {
        let gone = std::mem::take(&mut *self.free.lock());
        gone.len()
    }
}
