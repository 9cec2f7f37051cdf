//! Files and folders. Failures name them.

use crate::Failure;
use std::path::{Path, PathBuf};

fn named(path: &Path, error: std::io::Error) -> Failure {
    failure!("{}: {error}", path.display())
}

/// Returns the contents of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|e| named(file, e))
}

/// Returns the text of a file.
pub(crate) fn text(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|e| named(file, e))
}

/// Returns the path without symbolic links of a file or folder, which must exist.
pub(crate) fn real(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|e| named(path, e))
}

/// Returns the paths of what is in a folder, sorted; none if it cannot be read.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    all.sort();
    all
}

/// Returns the files in a folder whose names have an extension, sorted; none if the folder cannot be read.
pub(crate) fn with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = entries(folder);
    all.retain(|f| f.extension().is_some_and(|e| e == extension));
    all
}

/// Removes a folder and creates it again.
pub(crate) fn fresh(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(std::fs::create_dir_all(folder)?)
}

/// Copies a file, and creates the folders of the copy.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    create_parent(to)?;
    match std::fs::copy(from, to) {
        Ok(_) => Ok(()),
        Err(e) => fail!("{} to {}: {e}", from.display(), to.display()),
    }
}

/// Writes a file, and creates its folders.
pub(crate) fn write(to: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    create_parent(to)?;
    std::fs::write(to, contents).map_err(|e| named(to, e))
}

fn create_parent(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(|e| named(folder, e))
}

/// Returns the files below a folder, relative to it, sorted.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).map_err(|e| named(&next, e))? {
            let entry = entry?;
            // Symbolic links to folders are not followed, because they may form cycles.
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else {
                found.extend(entry.path().strip_prefix(folder).map(Path::to_path_buf));
            }
        }
    }
    found.sort();
    Ok(found)
}
