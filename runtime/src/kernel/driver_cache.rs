//! The driver's pipeline cache of a module, kept on disk (`crate::cache`) for the next process.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::cache::{self, Store};
use crate::error::{ClCode, Error, Result};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// The size in bytes of VkPipelineCacheHeaderVersionOne.
const HEAD: usize = 32;

/// The VkPipelineCache of one module, and its entry on disk. Each module has its own, so that the files are
/// small, a process reads only those that it uses, and old ones can be deleted.
pub(super) struct DriverCache {
    pub(super) raw: vk::PipelineCache,
    place: Option<(&'static Store, cache::Key)>,
    /// Held while data are written to the disk, so that the last writer has the data of all pipelines.
    saving: Mutex<()>,
}

impl DriverCache {
    /// Makes the cache with the data that an earlier process left on disk.
    pub(super) fn new(device: &Arc<vk::Device>, words: &[u32]) -> Result<DriverCache> {
        let place = cache::store().map(|store| {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            // The driver identifies pipelines by its own hash, so a hash of the module suffices for the key.
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

    /// Writes the driver's data so far to the disk.
    pub(super) fn save(&self) {
        let Some((store, key)) = &self.place else { return };
        let _saving = self.saving.lock();
        match self.raw.data() {
            // Some drivers return only the header, and no data.
            Ok(data) if data.len() <= HEAD => {}
            Ok(data) => store.put(key, &data),
            Err(e) => log::debug!("a pipeline is not kept: {e}"),
        }
    }
}
