//! Staging memory of a device: pinned host memory that is costly to get, so large pieces are used again.

use std::ops::Deref;
use std::sync::Arc;

use super::spares::Spares;
use crate::lock::{Mutex, Rank};
use crate::vk;

/// Bytes of a piece.
pub(crate) const PIECE: u64 = 8 << 20;

/// The sizes that are kept, and how many of each.
const CLASSES: [(u64, usize); 2] = [(1 << 20, 32), (PIECE, 8)];

/// Up to here the allocator is quick enough.
const SMALL: u64 = 256 << 10;

/// The free pieces.
pub(crate) struct StagingPool {
    spares: Arc<Spares>,
    free: Mutex<[Vec<vk::Buffer>; CLASSES.len()]>,
}

impl std::fmt::Debug for StagingPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StagingPool")
    }
}

/// Staging memory; pieces of the pool go back to it.
pub(crate) struct Staging {
    buffer: Option<vk::Buffer>,
    /// And the class.
    pool: Option<(Arc<StagingPool>, usize)>,
}

impl Deref for Staging {
    type Target = vk::Buffer;
    fn deref(&self) -> &vk::Buffer {
        self.buffer.as_ref().expect("only Drop takes it")
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let (Some((pool, class)), Some(buffer)) = (self.pool.take(), self.buffer.take()) {
            let mut free = pool.free.lock();
            if free[class].len() < CLASSES[class].1 {
                free[class].push(buffer);
            }
        }
    }
}

impl StagingPool {
    pub(super) fn new(spares: &Arc<Spares>) -> Arc<StagingPool> {
        Arc::new(StagingPool {
            spares: Arc::clone(spares),
            free: Mutex::new(Rank::Staging, [const { Vec::new() }; CLASSES.len()]),
        })
    }

    /// Allocates; if there is no memory, once more without the free pieces and what is kept for later buffers.
    pub(crate) fn with_room<T>(
        &self,
        mut allocate: impl FnMut() -> Result<T, vk::AllocError>,
    ) -> Result<T, vk::AllocError> {
        match allocate() {
            Err(e) if e.is_shortage() => {
                let pieces: Vec<vk::Buffer> = self.free.lock().iter_mut().flat_map(std::mem::take).collect();
                log::warn!(
                    "no memory ({e}); {} free pieces of staging memory and {} spare buffers go",
                    pieces.len(),
                    self.spares.release(),
                );
                drop(pieces);
                allocate()
            }
            done => done,
        }
    }

    /// Memory of at least `size` bytes: a piece of the pool if one is large enough.
    pub(crate) fn get(
        self: &Arc<Self>,
        device: &Arc<vk::Device>,
        size: u64,
    ) -> Result<Staging, vk::AllocError> {
        let class = CLASSES
            .iter()
            .position(|(most, _)| size <= *most)
            .filter(|_| size > SMALL);
        let free = class.and_then(|class| self.free.lock()[class].pop());
        let fresh = |size| self.with_room(|| vk::Buffer::new(device, size, vk::Place::Host));
        let buffer = match (free, class) {
            (Some(buffer), _) => buffer,
            (None, Some(class)) => fresh(CLASSES[class].0)?,
            (None, None) => fresh(size)?,
        };
        Ok(Staging {
            buffer: Some(buffer),
            pool: class.map(|class| (Arc::clone(self), class)),
        })
    }
}
