//! How a program was made from what the application has given: captures contain this, so that the program can be made again
//! on another platform. It is kept only if launches are captured (`CALDERA_CAPTURE`).

use std::path::Path;
use std::sync::Arc;

use caldera_compiler::spirv_in::Specialization;

use super::Program;
use super::toolchain::Object;
use crate::config::config;
use crate::device::Device;

/// The parts of an executable: the only one of clBuildProgram, or those that clLinkProgram has joined.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub parts: Vec<Arc<Part>>,
    /// Whether the parts were compiled one by one and then linked.
    pub linked: bool,
}

/// The input of one build or compilation.
#[derive(Debug)]
pub(crate) struct Part {
    pub input: PartInput,
    pub options: String,
    /// The headers that clCompileProgram was given, with their names.
    pub headers: Vec<(String, Arc<[u8]>)>,
    /// The files that `#include` has found.
    pub files: Vec<IncludedFile>,
    /// The directories of `-I`.
    pub directories: Vec<String>,
}

/// What a part was compiled from.
#[derive(Debug)]
pub(crate) enum PartInput {
    Source(Arc<[u8]>),
    /// A SPIR-V module, and the values of its specialization constants.
    Il(Arc<[u8]>, Specialization),
}

/// A file that `#include` has found.
#[derive(Clone, Debug)]
pub(crate) struct IncludedFile {
    /// The path, as the directive and the directories of `-I` give it.
    pub path: String,
    pub contents: Vec<u8>,
}

impl IncludedFile {
    pub(super) fn new(path: &Path, contents: &[u8]) -> IncludedFile {
        IncludedFile {
            path: path.display().to_string(),
            contents: contents.to_vec(),
        }
    }
}

/// Returns whether recipes are kept.
pub(super) fn is_kept() -> bool {
    config().capture.is_some()
}

impl Recipe {
    /// Returns the recipe of a build of one part.
    pub(super) fn of_build(part: impl FnOnce() -> Part) -> Option<Arc<Recipe>> {
        is_kept().then(|| {
            Arc::new(Recipe {
                parts: vec![Arc::new(part())],
                linked: false,
            })
        })
    }

    /// Returns the recipe of linked objects; `None` if one of them comes from a binary.
    pub(super) fn of_link(objects: &[Arc<Object>]) -> Option<Arc<Recipe>> {
        let parts: Option<Vec<Arc<Part>>> = objects.iter().map(|o| o.part.clone()).collect();
        parts
            .filter(|_| is_kept())
            .map(|parts| Arc::new(Recipe { parts, linked: true }))
    }
}

impl Program {
    /// Returns the options of the last build or link for a device, and how the executable was made; `None` if a binary
    /// takes part in it.
    pub(crate) fn recipe(&self, device: &Arc<Device>) -> (String, Option<Arc<Recipe>>) {
        let executable = self
            .executables()
            .into_iter()
            .find(|(d, _)| Arc::ptr_eq(d, device));
        let options = self
            .build_info(device)
            .map_or_else(|_| String::new(), |info| info.options);
        (options, executable.and_then(|(_, e)| e.recipe.clone()))
    }
}
