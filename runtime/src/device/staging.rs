//! Staging memory of a device: pinned host memory that is costly to get, so large pieces are used again.

use std::ops::Deref;
use std::sync::Arc;

use crate::lock::{Mutex, Rank};
use crate::vk;

/// Bytes of a piece.
pub(crate) const PIECE: u64 = 8 << 20;

/// Pieces kept for later.
const KEEP: usize = 8;

/// The free pieces.
pub(crate) struct StagingPool {
    free: Mutex<Vec<vk::Buffer>>,
}

impl std::fmt::Debug for StagingPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StagingPool")
    }
}

/// Staging memory; pieces of the pool go back to it.
pub(crate) struct Staging {
    buffer: Option<vk::Buffer>,
    pool: Option<Arc<StagingPool>>,
}

impl Deref for Staging {
    type Target = vk::Buffer;
    fn deref(&self) -> &vk::Buffer {
        self.buffer.as_ref().expect("only Drop takes it")
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let (Some(pool), Some(buffer)) = (self.pool.take(), self.buffer.take()) {
            let mut free = pool.free.lock();
            if free.len() < KEEP {
                free.push(buffer);
            }
        }
    }
}

impl StagingPool {
    pub(super) fn new() -> Arc<StagingPool> {
        Arc::new(StagingPool {
            free: Mutex::new(Rank::Staging, Vec::new()),
        })
    }

    /// Memory of at least `size` bytes: a piece of the pool if that is enough and not far too much.
    pub(crate) fn get(
        self: &Arc<Self>,
        device: &Arc<vk::Device>,
        size: u64,
    ) -> Result<Staging, vk::AllocError> {
        let pooled = size <= PIECE && size > PIECE / 16;
        let free = if pooled { self.free.lock().pop() } else { None };
        let buffer = match free {
            Some(buffer) => buffer,
            None => vk::Buffer::new(device, if pooled { PIECE } else { size }, vk::Place::Host)?,
        };
        Ok(Staging {
            buffer: Some(buffer),
            pool: pooled.then(|| Arc::clone(self)),
        })
    }
}
