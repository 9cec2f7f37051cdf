//! Computes the compiler's identity: a hash of its sources and of the versions of its dependencies. Caches store
//! it with their entries, so that they do not return what another version of the compiler has produced.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Appends all files below a directory to `into`, in an order that does not depend on the file system.
fn files(dir: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|entry| entry.expect("directory entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, into);
        } else {
            into.push(path);
        }
    }
}

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    let mut all = vec![PathBuf::from("../Cargo.lock"), PathBuf::from("Cargo.toml")];
    files(Path::new("src"), &mut all);
    let mut hash = DefaultHasher::new();
    for path in all {
        // A package without its workspace has no lock file.
        let contents = std::fs::read(&path).unwrap_or_default();
        (path.as_os_str().as_encoded_bytes(), contents).hash(&mut hash);
    }
    println!(
        "cargo::rustc-env=CALDERA_COMPILER_IDENTITY={:016x}",
        hash.finish()
    );
}
