//! The staging memory of a device. It is pinned host memory, which is slow to allocate, so large chunks are
//! reused.

use std::ops::Deref;
use std::sync::Arc;

use super::recycling::{RecycledStorage, Storage};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// The sizes of chunks that are kept in the pool, and how many of each at most.
const CLASSES: [(u64, usize); 4] = [(256 << 10, 16), (1 << 20, 32), (4 << 20, 8), (8 << 20, 4)];

/// Up to this size in bytes the allocator is quick enough, and nothing is kept.
const SMALL: u64 = 128 << 10;

/// The sizes of the chunks of a long transfer. The first is small, so that the processor that copies second
/// (GPU or host) starts soon; the last is small, so that it ends soon after the other.
#[derive(Debug)]
pub(crate) struct Cut {
    sizes: vk::ChunkSizes,
    /// The most bytes of the next chunk.
    most: u64,
}

impl Cut {
    /// Makes the state before the first chunk.
    pub(crate) fn new(sizes: &vk::ChunkSizes) -> Cut {
        Cut {
            sizes: *sizes,
            most: sizes.first,
        }
    }

    /// Returns the size of the next chunk if `left` bytes are left.
    pub(crate) fn next(&mut self, left: u64) -> u64 {
        let vk::ChunkSizes { first, longest, .. } = self.sizes;
        if left <= first * 3 / 2 {
            return left;
        }
        let half = (left / 2).next_multiple_of(first / 4);
        let chunk = half.clamp(first, self.most);
        self.most = (self.most * 2).min(longest);
        chunk
    }
}

/// The free chunks of staging memory.
pub(crate) struct StagingPool {
    recycled: Arc<RecycledStorage>,
    free: Mutex<[Vec<vk::Buffer>; CLASSES.len()]>,
}

impl std::fmt::Debug for StagingPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StagingPool")
    }
}

/// Staging memory; a chunk of the pool returns to the pool when this is dropped.
pub(crate) struct Staging {
    buffer: Option<vk::Buffer>,
    /// The pool that it returns to, and the index of its size.
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
        if let (Some((pool, class)), Some(buffer)) = (self.pool.take(), self.buffer.take())
            && let Some(mut free) = pool.free.lock_to_release()
            && free[class].len() < CLASSES[class].1
        {
            free[class].push(buffer);
        }
    }
}

impl StagingPool {
    pub(super) fn new(recycled: &Arc<RecycledStorage>) -> Arc<StagingPool> {
        Arc::new(StagingPool {
            recycled: Arc::clone(recycled),
            free: Mutex::new(Rank::Staging, [const { Vec::new() }; CLASSES.len()]),
        })
    }

    /// Calls `allocate`. If there is no memory, frees the free chunks and the recycled storage and calls it again.
    pub(crate) fn with_room<T>(
        &self,
        mut allocate: impl FnMut() -> Result<T, vk::AllocError>,
    ) -> Result<T, vk::AllocError> {
        match allocate() {
            Err(e) if e.is_shortage() => {
                let chunks: Vec<vk::Buffer> = self.free.lock().iter_mut().flat_map(std::mem::take).collect();
                log::warn!(
                    "no memory ({e}); {} free chunks of staging memory and {} recycled buffers are freed",
                    chunks.len(),
                    self.recycled.release(),
                );
                drop(chunks);
                allocate()
            }
            done => done,
        }
    }

    /// Returns device memory for the duration of a command.
    pub(crate) fn scratch(&self, device: &Arc<vk::Device>, size: u64) -> Result<Storage, vk::AllocError> {
        // Sizes are rounded to powers of two, so that later launches find recycled storage of the same size.
        let size = size.next_power_of_two();
        self.recycled.get(size, vk::Place::Device, || {
            self.with_room(|| vk::Buffer::new(device, size, vk::Place::Device))
        })
    }

    /// Returns mapped host memory of at least `size` bytes: a chunk of the pool if the pool has chunks of that
    /// size, otherwise an allocation.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_and_shrink() {
        let sizes = vk::Tuning::new(false, 0).chunks;
        let chunks = |size: u64| {
            let (mut cut, mut left) = (Cut::new(&sizes), size);
            std::iter::from_fn(move || {
                let chunk = cut.next(left);
                left -= chunk;
                (chunk > 0).then_some(chunk)
            })
            .collect::<Vec<u64>>()
        };
        let mib = |sizes: &[f64]| {
            sizes
                .iter()
                .map(|s| (s * (1 << 20) as f64) as u64)
                .collect::<Vec<_>>()
        };
        assert_eq!(chunks(sizes.cut), mib(&[1.0, 1.5, 1.5]));
        assert_eq!(chunks(16 << 20), mib(&[1.0, 2.0, 4.0, 4.0, 2.5, 1.25, 1.25]));
        for size in [
            1,
            sizes.first,
            sizes.first + 1,
            sizes.cut + 1,
            (33 << 20) + 77,
            1 << 30,
        ] {
            let all = chunks(size);
            assert_eq!(all.iter().sum::<u64>(), size);
            assert!(all.iter().all(|p| (1..=sizes.longest).contains(p)), "{all:?}");
            assert!(all.last() <= Some(&(sizes.first * 3 / 2)), "{all:?}");
        }
    }
}
