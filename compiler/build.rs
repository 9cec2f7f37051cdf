//! Computes the compiler's identity: a hash of its sources and of the versions of its dependencies. Caches store
//! it with their entries, so that they do not return what another version of the compiler has produced.
//!
//! Also copies the library of function bodies without its comments, which would be a fifth of the text in the shipped library.

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

/// Writes the files of the library of function bodies to `to`. Lines that are only a comment become empty ones, so that all others keep
/// their numbers.
fn strip_library(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    let mut all = Vec::new();
    files(from, &mut all);
    for path in all {
        let text = std::fs::read_to_string(&path)?;
        let mut stripped = String::with_capacity(text.len());
        for line in text.lines() {
            let is_comment = line.trim_start().starts_with("//");
            // A comment may not continue a macro, nor itself.
            assert!(!is_comment || !line.ends_with('\\'), "{}: {line}", path.display());
            stripped.push_str(if is_comment { "" } else { line });
            stripped.push('\n');
        }
        let name = path.file_name().unwrap_or_default();
        std::fs::write(to.join(name), stripped)?;
    }
    Ok(())
}

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    strip_library(Path::new("src/builtins/lib"), &out.join("lib")).expect("the library's files");
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
