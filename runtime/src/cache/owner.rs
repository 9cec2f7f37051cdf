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

use crate::os::files;

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
    if !files::is_same(&named, &about) {
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

/// Makes a directory and those above it, unless it exists; only its owner has access.
pub(super) fn make(dir: &Path) -> Result<()> {
    match std::fs::symlink_metadata(dir) {
        Ok(_) => Ok(()),
        Err(_) => files::make_directory(dir),
    }
}

fn check_owner(path: &Path, about: &Metadata) -> Result<()> {
    // Only root gives files to other users, and root can write anything in any case.
    match (files::owner(about), crate::process::user()) {
        (None | Some(0), _) | (_, None) => Ok(()),
        (Some(owner), Some(user)) if owner == user => Ok(()),
        (Some(owner), Some(_)) => Err(distrust(path, &format!("belongs to another user ({owner})"))),
    }
}

fn check_mode(path: &Path, about: &Metadata) -> Result<()> {
    match files::writable_by_others(about) {
        None => Ok(()),
        Some(mode) => Err(distrust(
            path,
            &format!("can be written by others (mode {mode:o}); `chmod go-w` takes that away"),
        )),
    }
}
