//! What the driver made of a module's pipelines, kept on disk (`crate::cache`) for the next process.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::cache::{self, Store};
use crate::error::{ClCode, Error, Result};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// Bytes of VkPipelineCacheHeaderVersionOne.
const HEAD: usize = 32;

/// The VkPipelineCache of one module, and its place on disk. One for each module keeps the files small, so that a
/// process reads only what it uses and old ones can go.
pub(super) struct DriverCache {
    pub(super) raw: vk::PipelineCache,
    place: Option<(&'static Store, cache::Key)>,
    /// Held while data go to the disk: the last to write has seen all pipelines.
    saving: Mutex<()>,
}

impl DriverCache {
    /// Filled with what an earlier process left there.
    pub(super) fn new(device: &Arc<vk::Device>, words: &[u32]) -> Result<DriverCache> {
        let place = cache::store().map(|store| {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            // The driver finds its entries by what it hashes itself: of the module a hash is enough here.
            let module = xxh3_128(&bytes).to_le_bytes();
            (store, cache::Key::new("pipelines", &[device.identity(), &module]))
        });
        let data = place.as_ref().and_then(|(store, key)| store.get(key));
        let raw = vk::PipelineCache::new(device, data.as_deref().unwrap_or(&[]))
            .map_err(|e| Error::new(ClCode::OutOfHostMemory, "no pipeline cache").from_source(e))?;
        Ok(DriverCache {
            raw,
            place,
            saving: Mutex::new(Rank::PipelineCache, ()),
        })
    }

    /// Writes what the driver has made so far.
    pub(super) fn save(&self) {
        let Some((store, key)) = &self.place else { return };
        let _saving = self.saving.lock();
        match self.raw.data() {
            // Some drivers keep nothing but the head.
            Ok(data) if data.len() <= HEAD => {}
            Ok(data) => store.put(key, &data),
            Err(e) => log::debug!("a pipeline is not kept: {e}"),
        }
    }
}
