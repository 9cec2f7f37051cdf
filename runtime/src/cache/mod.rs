//! The cache on disk: results of compilation, for later processes.
//!
//! An entry is one file, named by a hash of its key. The file repeats the whole key, so that two keys with the
//! same hash are distinguished, and has a checksum, so that a file that was truncated, altered or written by
//! another program is recognised and removed. A file is written under a temporary name and then renamed, so
//! that readers see a whole file or none, and any number of processes may use one directory. The size of the
//! directory is limited; the least recently used entries are removed first ([`evict`]).
//!
//! Files that other users could have written are not used ([`owner`]): a cache in such a directory is not used
//! at all.
//!
//! Nothing here returns errors: an entry that cannot be read counts as absent, and after the first entry that
//! cannot be written (no space, no permission) this process writes no more. Failed writes leave a line in the log, and so do
//! entries and directories that are damaged or not trusted.

mod entry;
mod evict;
mod owner;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use crate::config::config;
use crate::lock::{Mutex, Rank};
use crate::os::files;
pub(crate) use entry::Key;

/// The number of directories (shards) that the entries are distributed over, by the first digit of their names.
/// Each shard has an equal share of the limit.
const SHARDS: usize = 16;

/// The resolution of an entry's time of use: it is written only if the old one is older than this, to spare the
/// disk.
const USE_GRANULARITY: Duration = Duration::from_secs(3600);

/// A directory of entries.
#[derive(Debug)]
pub(crate) struct Store {
    /// The directory that was configured; all entries are in `root`, a directory in it.
    place: PathBuf,
    root: PathBuf,
    /// The most bytes of all entries of a shard.
    shard_limit: u64,
    /// The bytes in each shard, once they have been counted.
    sizes: [Mutex<Option<u64>>; SHARDS],
    /// Whether a write has failed.
    broken: AtomicBool,
    /// Whether another user could have written to the directory.
    refused: AtomicBool,
}

/// Returns the store of the process, unless `CALDERA_CACHE` turns it off or no directory is known for it.
pub(crate) fn store() -> Option<&'static Store> {
    static STORE: OnceLock<Option<Store>> = OnceLock::new();
    STORE
        .get_or_init(|| {
            let root = config().cache.directory()?;
            Some(Store::new(&root, config().cache_size))
        })
        .as_ref()
}

impl Store {
    /// Makes a store of at most `limit` bytes. The directory is made when the first entry is written.
    fn new(root: &Path, limit: u64) -> Store {
        Store {
            place: root.to_owned(),
            root: root.join(entry::FORMAT),
            shard_limit: limit / SHARDS as u64,
            sizes: [const { Mutex::new(Rank::DiskCache, None) }; SHARDS],
            broken: AtomicBool::new(false),
            refused: AtomicBool::new(false),
        }
    }

    /// Returns whether a shard's directory exists and is trusted. The first one that is not trusted turns the
    /// cache off.
    fn is_trusted(&self, shard: &Path) -> bool {
        if self.refused.load(Ordering::Relaxed) {
            return false;
        }
        let check = || {
            Ok(owner::check_directory(&self.place, true)?
                && owner::check_directory(&self.root, false)?
                && owner::check_directory(shard, false)?)
        };
        check().unwrap_or_else(|e: std::io::Error| {
            log::warn!("cache: {e}; the cache is not used");
            self.refused.store(true, Ordering::Relaxed);
            false
        })
    }

    fn shard_dir(&self, shard: usize) -> PathBuf {
        self.root.join(format!("{shard:x}"))
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.shard_dir(key.shard()).join(key.file_name())
    }

    /// Returns the value stored under the key.
    pub(crate) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        if !self.is_trusted(&self.shard_dir(key.shard())) {
            return None;
        }
        let path = self.path(key);
        let opened = owner::open_entry(&path);
        let (mut file, about) = opened.unwrap_or_else(|e| {
            log::warn!("cache: {e}; it is not used");
            None
        })?;
        // A larger file cannot be one that [`Store::put`] wrote.
        if about.len() > self.shard_limit {
            return None;
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        file.read_to_end(&mut bytes).ok()?;
        match entry::decode(&bytes, key) {
            Ok(Some(value)) => {
                self.note_use(&path, &about);
                Some(value.to_vec())
            }
            Ok(None) => None,
            Err(why) => {
                log::warn!("cache: {}: {why}; removed", path.display());
                let _ = std::fs::remove_file(&path);
                None
            }
        }
    }

    /// Sets the entry's time of use to now, if the old one is older than [`USE_GRANULARITY`].
    fn note_use(&self, path: &Path, about: &std::fs::Metadata) {
        let recent = about
            .modified()
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok())
            .is_some_and(|age| age < USE_GRANULARITY);
        if !recent && let Ok(file) = std::fs::File::options().append(true).open(path) {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    /// Stores a value under the key, replacing any other.
    pub(crate) fn put(&self, key: &Key, value: &[u8]) {
        if self.broken.load(Ordering::Relaxed) || self.refused.load(Ordering::Relaxed) {
            return;
        }
        let bytes = entry::encode(key, value);
        let size = bytes.len() as u64;
        // One entry must not displace all others, and a file above the process's limit would end the process
        // (SIGXFSZ).
        if size > self.shard_limit / 4 || size > files::largest() {
            log::debug!("cache: an entry of {size} bytes is too large");
            return;
        }
        let shard = self.shard_dir(key.shard());
        if let Err(e) = owner::make(&shard) {
            log::warn!("cache: {}: {e}; nothing more is written", self.root.display());
            self.broken.store(true, Ordering::Relaxed);
            return;
        }
        if !self.is_trusted(&shard) {
            return;
        }
        if let Err(e) = self.write(key, &bytes) {
            log::warn!("cache: {}: {e}; nothing more is written", self.root.display());
            self.broken.store(true, Ordering::Relaxed);
            return;
        }
        let mut total = self.sizes[key.shard()].lock();
        let known = total.map(|t| t + size);
        if known.is_none_or(|t| t > self.shard_limit) {
            *total = Some(evict::evict(&self.shard_dir(key.shard()), self.shard_limit));
        } else {
            *total = known;
        }
    }

    fn write(&self, key: &Key, bytes: &[u8]) -> std::io::Result<()> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let dir = self.shard_dir(key.shard());
        let temporary = dir.join(format!(
            "{}-{}{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed),
            evict::TEMPORARY
        ));
        let written = files::create(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            drop(file);
            std::fs::rename(&temporary, dir.join(key.file_name()))
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }
}

#[cfg(test)]
mod tests;
