//! The crates whose code is in the library and in the offline compiler, from `cargo tree` and `cargo metadata`.

use crate::Failure;
use crate::artifacts::{cargo, root};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The packages of the workspace that are shipped.
const SHIPPED: [&str; 2] = ["caldera-icd", "caldera-compiler"];

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) version: String,
    /// The licences as an expression of SPDX. Old crates separate alternatives by a slash.
    pub(super) licence: String,
    /// The folder of its sources.
    pub(super) folder: PathBuf,
    /// SHA-256 of the archive that the registry has; `None` for the crates of this repository.
    pub(super) checksum: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Returns the crates that are linked into the programs for a target, sorted by name and version. Macro crates run
/// inside rustc, so they are not among them.
pub(super) fn shipped(target: &str) -> Result<Vec<Crate>, Failure> {
    let packages = SHIPPED.map(|package| ["--package", package]).concat();
    let tree = ["--prefix=none", "--format={p}", "--edges=normal,no-proc-macro"];
    let tree = output_of_cargo(&[&["tree", "--locked", "--target", target][..], &tree, &packages].concat())?;
    let found: BTreeSet<String> = tree.lines().filter_map(named).collect();
    let options = ["--format-version", "1", "--locked", "--filter-platform", target];
    let metadata: Metadata =
        serde_json::from_str(&output_of_cargo(&[&["metadata"][..], &options].concat())?)?;
    let lock: Lock = toml::from_str(&std::fs::read_to_string(root().join("Cargo.lock"))?)?;
    let describe = |package: Package| -> Result<Crate, Failure> {
        let Package { name, version, .. } = package;
        let Some(licence) = package.license else {
            return fail!("the manifest of {name} {version} has no licence");
        };
        let locked = lock
            .package
            .iter()
            .find(|l| l.name == name && l.version == version);
        Ok(Crate {
            checksum: locked.and_then(|l| l.checksum.clone()),
            name,
            version,
            licence,
            folder: package
                .manifest_path
                .parent()
                .map(PathBuf::from)
                .unwrap_or_default(),
        })
    };
    let all = metadata.packages.into_iter();
    let linked = all.filter(|p| found.contains(&format!("{} v{}", p.name, p.version)));
    let mut crates = linked.map(describe).collect::<Result<Vec<_>, _>>()?;
    crates.sort();
    match crates.len() == found.len() {
        true => Ok(crates),
        false => fail!("cargo tree and cargo metadata name different crates"),
    }
}

/// Returns the name and the version of the crate in a line of `cargo tree`, where a path or a mark may follow.
fn named(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    Some(format!("{} {}", words.next()?, words.next()?))
}

/// Runs cargo with these arguments and returns its standard output.
fn output_of_cargo(arguments: &[&str]) -> Result<String, Failure> {
    let output = cargo().args(arguments).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => fail!(
            "cargo {} failed: {}",
            arguments[0],
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This machine's target has crates of this repository and of the registry, and no macro crates.
    #[test]
    fn linked_crates_are_shipped() {
        let crates = shipped(&crate::package::products::host().unwrap()).unwrap();
        let has = |name: &str| crates.iter().find(|c| c.name == name);
        assert_eq!(has("caldera-runtime").unwrap().checksum, None);
        assert!(has("ash").unwrap().checksum.is_some());
        for other in ["thiserror-impl", "caldera-cts-harness", "clap"] {
            assert_eq!(has(other), None);
        }
    }
}
