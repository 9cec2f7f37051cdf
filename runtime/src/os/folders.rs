//! The folder of the user for files that may be removed at any time.

use std::path::PathBuf;

/// Returns the folder, from the variables that `get` knows; relative paths are ignored.
#[cfg(windows)]
pub(crate) fn cache(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    get("LOCALAPPDATA").filter(|p| p.is_absolute())
}

/// Returns the folder, from the variables that `get` knows; relative paths are ignored.
#[cfg(target_vendor = "apple")]
pub(crate) fn cache(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let home = get("HOME").filter(|p| p.is_absolute())?;
    Some(home.join("Library/Caches"))
}

/// Returns the folder, from the variables that `get` knows. Android has none of them: an application sets `CALDERA_CACHE`
/// there, or has no cache on disk.
#[cfg(not(any(windows, target_vendor = "apple")))]
pub(crate) fn cache(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // XDG Base Directory Specification: a relative path is to be ignored.
    let absolute = |name: &str| get(name).filter(|p| p.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}
