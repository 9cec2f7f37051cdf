//! Checks that no other user could have written the contents of the cache, since its entries are code that this
//! process will run.
//!
//! A directory or file is trusted if it belongs to the effective user of the process or to root, and no other
//! user may write to it. The cache's directory, each directory below it, and each entry are checked. The
//! directories above it need no check: a user who can replace the cache's directory by another one cannot make
//! that one belong to the user of this process.

use std::fs::{File, Metadata};
use std::io::{Error, Result};
use std::path::Path;

/// Returns whether a directory exists. Fails if it is not trusted. Only the first directory of a cache may be a
/// symbolic link.
pub(super) fn check_directory(path: &Path, may_be_link: bool) -> Result<bool> {
    let mut about = match std::fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e),
    };
    if about.is_symlink() && may_be_link {
        check_owner(path, &about)?;
        about = std::fs::metadata(path)?;
    }
    if !about.is_dir() {
        return Err(distrust(path, "is no directory"));
    }
    check_owner(path, &about)?;
    check_mode(path, &about)?;
    Ok(true)
}

/// Opens an entry for reading and returns its metadata; `None` if it does not exist or is not a regular file.
pub(super) fn open_entry(path: &Path) -> Result<Option<(File, Metadata)>> {
    let Ok(named) = std::fs::symlink_metadata(path) else {
        return Ok(None);
    };
    if named.is_symlink() {
        return Err(distrust(path, "is a link"));
    }
    // Other files are not opened, because opening a pipe would block.
    if !named.is_file() {
        return Ok(None);
    }
    let Ok(file) = File::open(path) else {
        return Ok(None);
    };
    let about = file.metadata()?;
    if !is_same(&named, &about) {
        return Err(distrust(path, "was exchanged"));
    }
    check_owner(path, &about)?;
    check_mode(path, &about)?;
    Ok(Some((file, about)))
}

fn distrust(path: &Path, why: &str) -> Error {
    Error::new(
        std::io::ErrorKind::PermissionDenied,
        format!("{} {why}", path.display()),
    )
}

#[cfg(unix)]
fn check_owner(path: &Path, about: &Metadata) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let owner = about.uid();
    // Only root gives files to other users, and root can write anything in any case.
    if owner == 0 || crate::process::user().is_none_or(|user| user == owner) {
        return Ok(());
    }
    Err(distrust(path, &format!("belongs to another user ({owner})")))
}

#[cfg(unix)]
fn check_mode(path: &Path, about: &Metadata) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    let mode = about.mode() & 0o7777;
    if mode & OTHERS_WRITE == 0 {
        return Ok(());
    }
    Err(distrust(
        path,
        &format!("can be written by others (mode {mode:o}); `chmod go-w` takes that away"),
    ))
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Metadata) -> Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &Metadata) -> Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
