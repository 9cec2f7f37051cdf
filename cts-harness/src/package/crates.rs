//! The crates whose code is in the library and in the offline compiler, from `cargo metadata`.

use crate::Failure;
use crate::artifacts::{cargo, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The packages of the workspace that are shipped.
const SHIPPED: [&str; 2] = ["caldera-icd", "caldera-compiler"];

/// A crate.
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
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
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
/// inside the compiler of Rust, so they are not among them.
pub(super) fn shipped(target: &str) -> Result<Vec<Crate>, Failure> {
    let output = cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            target,
        ])
        .output()?;
    if !output.status.success() {
        return fail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let lock: Lock = toml::from_str(&std::fs::read_to_string(root().join("Cargo.lock"))?)?;
    let packages: BTreeMap<&str, &Package> = metadata.packages.iter().map(|p| (&*p.id, p)).collect();
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|n| (&*n.id, n)).collect();
    let is_macro = |id: &str| {
        let kinds = packages
            .get(id)
            .into_iter()
            .flat_map(|p| &p.targets)
            .flat_map(|t| &t.kind);
        kinds.into_iter().any(|kind| kind == "proc-macro")
    };
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = metadata
        .packages
        .iter()
        .filter(|p| SHIPPED.contains(&&*p.name))
        .map(|p| &*p.id)
        .collect();
    while let Some(id) = open.pop() {
        if is_macro(id) || !found.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).into_iter().flat_map(|n| &n.deps);
        let linked = dependencies.filter(|d| d.dep_kinds.iter().any(|k| k.kind.is_none()));
        open.extend(linked.map(|d| &*d.pkg));
    }
    let describe = |package: &&Package| -> Result<Crate, Failure> {
        let Package { name, version, .. } = package;
        let Some(licence) = package.license.clone() else {
            return fail!("the manifest of {name} {version} has no licence");
        };
        let locked = lock
            .package
            .iter()
            .find(|l| l.name == *name && l.version == *version);
        Ok(Crate {
            name: name.clone(),
            version: version.clone(),
            licence,
            folder: package
                .manifest_path
                .parent()
                .map(PathBuf::from)
                .unwrap_or_default(),
            checksum: locked.and_then(|l| l.checksum.clone()),
        })
    };
    let mut crates = found
        .iter()
        .filter_map(|id| packages.get(id))
        .map(describe)
        .collect::<Result<Vec<_>, _>>()?;
    crates.sort();
    Ok(crates)
}
