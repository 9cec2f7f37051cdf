//! Results of the compiler in the cache on disk (`crate::cache`).
//!
//! A value lists the files that the compilation tried to read, with hashes of their contents; a result is valid
//! only as long as the files are the same. The log and the result follow.

use std::io::Read;
use std::path::Path;

use caldera_compiler::pp::MAX_INCLUDED_BYTES;
use caldera_compiler::target::Target;
use xxhash_rust::xxh3::xxh3_128;

use super::recipe;
use crate::cache::{self, Store};
use crate::config::config;

/// A file that a compilation tried to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileRead {
    path: String,
    /// The hash of its contents; `None` if it could not be read.
    contents: Option<u128>,
}

impl FileRead {
    pub(super) fn new(path: &Path, contents: Option<&[u8]>) -> FileRead {
        FileRead {
            path: path.display().to_string(),
            contents: contents.map(xxh3_128),
        }
    }

    fn unchanged(&self) -> bool {
        let now = read_header(Path::new(&self.path)).ok().and_then(Result::ok);
        now.as_deref().map(xxh3_128) == self.contents
    }
}

/// Reads a file that `#include` names: a regular file that is not too large for a header. Devices and pipes are
/// not read, because a device may have no end, and opening a pipe blocks until a process writes to it. The
/// outer error says that there is no such file, the inner one why it is not read.
pub(super) fn read_header(path: &Path) -> Result<Result<Vec<u8>, String>, NoFile> {
    let kind = std::fs::metadata(path).map_err(|_| NoFile)?;
    if kind.is_dir() {
        return Err(NoFile);
    }
    if !kind.is_file() {
        return Ok(Err("is not a regular file".into()));
    }
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(MAX_INCLUDED_BYTES + 1).read_to_end(&mut bytes));
    Ok(match read {
        Ok(_) if bytes.len() as u64 > MAX_INCLUDED_BYTES => Err("is too large".into()),
        Ok(_) => Ok(bytes),
        Err(e) => Err(format!("cannot be read: {e}")),
    })
}

/// The error that there is no file with the name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct NoFile;

/// The entry of one result in the cache on disk. There is none where the compiler must run: with `CALDERA_DUMP`, which shows what
/// it does, and where recipes are kept, which need the files that it reads.
pub(super) struct OnDisk(Option<(&'static Store, cache::Key)>);

impl OnDisk {
    /// Makes the entry for the result `kind` of the inputs `parts` for a target.
    pub(super) fn of(kind: &str, parts: &[&[u8]], target: &Target) -> OnDisk {
        let store = cache::store().filter(|_| config().dump.is_none() && !recipe::is_kept());
        OnDisk(store.map(|store| {
            let target = format!("{target:?}");
            let mut all = vec![target.as_bytes()];
            all.extend(parts);
            (store, cache::Key::new(kind, &all))
        }))
    }

    /// Returns the log and the result, if they are stored and still valid.
    pub(super) fn get(&self) -> Option<(String, Vec<u8>)> {
        let (store, key) = self.0.as_ref()?;
        let value = store.get(key)?;
        let (files, log, result) = decode(&value)?;
        if !files.iter().all(FileRead::unchanged) {
            return None;
        }
        log::debug!(target: "program", "taken from the cache on disk");
        crate::observe::build_was_cached();
        Some((log.to_owned(), result.to_vec()))
    }

    /// Stores the log and the result, and the files that they depend on.
    pub(super) fn keep(&self, files: &[FileRead], log: &str, result: &[u8]) {
        if let Some((store, key)) = &self.0 {
            store.put(key, &encode(files, log, result));
        }
    }
}

fn encode(files: &[FileRead], log: &str, result: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(result.len() + log.len() + 64);
    let part = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    bytes.extend((files.len() as u64).to_le_bytes());
    for file in files {
        part(&mut bytes, &file.path);
        bytes.push(u8::from(file.contents.is_some()));
        bytes.extend(file.contents.unwrap_or(0).to_le_bytes());
    }
    part(&mut bytes, log);
    bytes.extend(result);
    bytes
}

/// Splits a value into files, log and result. The cache has checked that the bytes are those that [`encode`]
/// made.
fn decode(bytes: &[u8]) -> Option<(Vec<FileRead>, &str, &[u8])> {
    let mut rest = bytes;
    let number = |rest: &mut &[u8]| {
        let (bytes, after) = rest.split_first_chunk()?;
        *rest = after;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    };
    let count = number(&mut rest)?;
    let mut files = Vec::new();
    for _ in 0..count {
        let length = number(&mut rest)?;
        let (path, after) = rest.split_at_checked(length)?;
        let (present, after) = after.split_first()?;
        let (hash, after) = after.split_first_chunk()?;
        rest = after;
        files.push(FileRead {
            path: String::from_utf8(path.to_vec()).ok()?,
            contents: (*present != 0).then(|| u128::from_le_bytes(*hash)),
        });
    }
    let length = number(&mut rest)?;
    let (log, result) = rest.split_at_checked(length)?;
    Some((files, std::str::from_utf8(log).ok()?, result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let files = [
            FileRead::new(Path::new("a/b.h"), Some(b"text")),
            FileRead::new(Path::new("b.h"), None),
        ];
        for files in [&files[..], &[]] {
            let bytes = encode(files, "warning: ü\n", &[1, 2, 3]);
            let (got, log, result) = decode(&bytes).expect("whole");
            assert_eq!((&got[..], log, result), (files, "warning: ü\n", &[1, 2, 3][..]));
            for end in 0..bytes.len() - 3 {
                assert!(decode(&bytes[..end]).is_none(), "{end}");
            }
        }
    }
}
