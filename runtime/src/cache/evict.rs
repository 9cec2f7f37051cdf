//! Keeps a shard below its limit: the least recently used entries are removed first.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The suffix of the name of a file that is being written.
pub(super) const TEMPORARY: &str = ".tmp";

/// A temporary file of this age belongs to a process that ended while it wrote.
const ABANDONED: Duration = Duration::from_secs(600);

struct Found {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// Removes temporary files of processes that ended while writing. If the entries exceed the limit, also removes
/// entries until a quarter of the limit is free. Returns the number of bytes left. Other processes may do the
/// same at the same time; files that are already removed are ignored.
pub(super) fn evict(dir: &Path, limit: u64) -> u64 {
    let now = SystemTime::now();
    let mut entries = Vec::new();
    for file in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(about) = file.metadata() else { continue };
        if !about.is_file() {
            continue;
        }
        let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        if file
            .file_name()
            .as_encoded_bytes()
            .ends_with(TEMPORARY.as_bytes())
        {
            if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                let _ = std::fs::remove_file(file.path());
            }
            continue;
        }
        entries.push(Found {
            path: file.path(),
            size: about.len(),
            used,
        });
    }
    let mut total: u64 = entries.iter().map(|e| e.size).sum();
    if total <= limit {
        return total;
    }
    entries.sort_unstable_by_key(|e| e.used);
    for entry in entries {
        if total <= limit / 4 * 3 {
            break;
        }
        if std::fs::remove_file(&entry.path).is_ok() {
            total -= entry.size;
        }
    }
    log::debug!("cache: {} cut down to {total} bytes", dir.display());
    total
}
