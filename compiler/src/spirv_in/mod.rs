//! SPIR-V to IR: modules of the Kernel flavour, as OpenCL's environment for SPIR-V defines them.
//!
//! ```text
//! bytes
//!  → words      instructions, in the byte order of this machine
//!  → module     types, constants, variables, decorations, functions with basic blocks
//!  → lower      IR; ir::from_cfg turns the blocks into structured regions
//! ```
//!
//! A module is hostile input. Each stage checks what it uses before it uses it, and an error names the
//! instruction. What is valid but not implemented is an error, too. `docs/spirv-in.md` states what is accepted
//! and how each construct is translated.
//!
//! Built-in functions are those of OpenCL C: the module `library` writes the source of the calls, which the front end
//! compiles, and the caller joins the result with [`Imported::module`].

mod built_ins;
mod capability;
mod consts;
mod error;
mod inspect;
mod library;
mod lines;
mod lower;
mod mangled;
mod module;
mod types;
mod words;

pub use capability::{EXTENSIONS, capabilities};
pub use error::{Error, Fault};
pub use inspect::{Leaf, Property, SpecConstant, properties, spec_constants};
pub use words::{Words, is_kernel_module, is_module};

use crate::ir::{FpFlags, Linkage, Module};
use crate::target::Target;
use std::collections::BTreeMap;

/// The bytes of the values that replace the defaults of specialization constants, by SpecId.
pub type Specialization = BTreeMap<u32, Vec<u8>>;

/// What the caller decides about an import.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    /// What the build options allow for arithmetic.
    pub relaxed: FpFlags,
    /// The values of specialization constants.
    pub specialization: Specialization,
    /// Work-groups at the end of a dimension may be smaller than the others (OpenCL 2.0 and later, unless
    /// `-cl-uniform-work-group-size` is given).
    pub uneven: bool,
}

/// An imported module.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The IR. It calls functions that [`Imported::library`] defines.
    pub module: Module,
    /// OpenCL C source of the functions that call built-in functions; it may be empty.
    pub library: String,
}

/// Translates a module to IR.
///
/// # Errors
///
/// Fails if the module is invalid, or if it needs what is not implemented or what the device lacks.
pub fn import(words: &Words, target: &Target, settings: &Settings) -> Result<Imported, Error> {
    let located = |e| lines::located(words, e);
    let module = module::read(words, target, &settings.specialization).map_err(located)?;
    let mut imported = lower::lower(&module, target, settings).map_err(located)?;
    if !imported.library.is_empty() {
        imported.library.insert_str(0, &pragmas(target));
    }
    Ok(imported)
}

/// Returns the directives that enable the extensions of the device in the library.
fn pragmas(target: &Target) -> String {
    let names = ["cl_khr_fp16", "cl_khr_fp64"]
        .into_iter()
        .filter(|n| target.has_extension(n));
    let lines = names.map(|n| format!("#pragma OPENCL EXTENSION {n} : enable\n"));
    lines.collect()
}

/// Hides the functions that call built-in functions from other objects, once the library is joined.
pub fn hide_library(module: &mut Module) {
    for (_, func) in module.funcs.iter_mut() {
        if func.name.starts_with(library::PREFIX) {
            func.linkage = Linkage::Static;
        }
    }
}
