//! The pipeline variants that launches of a module used, kept on disk (`crate::cache`) for the next process, which
//! makes these pipelines before the first launch ([`super::early`]).

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::pipeline::{MAX_ARRAYS, Variant};
use crate::cache::{self, Store};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// The most variants of a module that are kept.
const MOST: usize = 64;

/// The words of an entry: the index of a kernel, and its variant.
const WORDS: usize = 1 + 3 + 3 + 1 + 1 + MAX_ARRAYS + 3;

/// A kernel's index in the reflection, and a variant of its pipeline.
type Used = (u32, Variant);

/// The variants that launches used, the oldest first.
pub(super) struct Launched {
    place: Option<(&'static Store, cache::Key)>,
    /// Held while the list is written to the disk, so that the last writer has the whole list.
    used: Mutex<Vec<Used>>,
}

impl Launched {
    /// Reads the variants that earlier processes used. `words` is the module with its reflection.
    pub(super) fn new(device: &Arc<vk::Device>, words: &[u32]) -> Launched {
        let place = cache::store().map(|store| {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let module = xxh3_128(&bytes).to_le_bytes();
            (
                store,
                cache::Key::new("launched packed", &[device.identity(), &module]),
            )
        });
        let bytes = place.as_ref().and_then(|(store, key)| store.get(key));
        Launched {
            place,
            used: Mutex::new(Rank::PipelineCache, decode(&bytes.unwrap_or_default())),
        }
    }

    /// Returns the variants of a kernel that launches used, the newest first.
    pub(super) fn of(&self, kernel: usize) -> Vec<Variant> {
        let used = self.used.lock();
        let own = used.iter().rev().filter(|(index, _)| *index as usize == kernel);
        own.map(|(_, variant)| *variant).collect()
    }

    /// Notes that a launch used a variant.
    pub(super) fn note(&self, kernel: usize, variant: Variant) {
        let Some((store, key)) = &self.place else { return };
        let now = (kernel as u32, variant);
        let mut used = self.used.lock();
        if used.contains(&now) {
            return;
        }
        if used.len() == MOST {
            used.remove(0);
        }
        used.push(now);
        store.put(key, &encode(&used));
    }
}

fn encode(used: &[Used]) -> Vec<u8> {
    let words = used.iter().flat_map(|(index, v)| {
        let head = [*index].into_iter().chain(v.local).chain(v.pack);
        let middle = [v.arena, v.work_dim].into_iter().chain(v.arrays);
        head.chain(middle).chain(v.offset)
    });
    words.flat_map(u32::to_le_bytes).collect()
}

/// Returns the variants that [`encode`] wrote; the cache has checked that the bytes are those.
fn decode(bytes: &[u8]) -> Vec<Used> {
    let words: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|w| u32::from_le_bytes(*w))
        .collect();
    let entries = words.as_chunks::<WORDS>().0.iter();
    let used = entries.map(|&[index, x, y, z, a, b, c, arena, work_dim, ref rest @ ..]| {
        let (arrays, offset) = rest.split_at(MAX_ARRAYS);
        let variant = Variant {
            local: [x, y, z],
            pack: [a, b, c],
            arena,
            work_dim,
            arrays: std::array::from_fn(|i| arrays[i]),
            offset: std::array::from_fn(|i| offset[i]),
        };
        (index, variant)
    });
    used.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_come_back() {
        let variant = |n: u32| Variant {
            local: [n, 2, 3],
            pack: [8, n, 9],
            arena: 4,
            work_dim: 5,
            arrays: std::array::from_fn(|i| i as u32 + n),
            offset: [6, 7, n],
        };
        let used = vec![(0, variant(1)), (7, variant(9))];
        let bytes = encode(&used);
        assert_eq!(decode(&bytes), used);
        assert_eq!(decode(&bytes[..bytes.len() - 1]), used[..1]);
    }
}
