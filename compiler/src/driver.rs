//! The stages of a compilation in order, from source or SPIR-V to a module for Vulkan; objects and linking.
//!
//! This file has what callers see: inputs, results, and one function for each kind of compilation. `run` executes the
//! stages.

mod run;

use crate::diag::InternalError;
use crate::ir::Module;
use crate::ir::parse::{ParseError, parse};
use crate::lower_hir::Roots;
use crate::options::Options;
use crate::pass::Hooks;
use crate::pp::IncludeResolver;
use crate::spirv_in::Specialization;
use crate::target::Target;
use run::{Run, STACK};
use std::time::Duration;

/// The source of one translation unit.
#[derive(Copy, Clone)]
pub struct Input<'a> {
    /// The name that diagnostics print.
    pub name: &'a str,
    /// The source in OpenCL C.
    pub source: &'a str,
    /// The parsed option string of clBuildProgram.
    pub options: &'a Options,
    /// Finds the files that `#include` names; [`NoIncludes`](crate::pp::NoIncludes) finds none.
    pub resolver: &'a dyn IncludeResolver,
}

/// A SPIR-V module of the Kernel flavour, as clCreateProgramWithIL takes it.
#[derive(Copy, Clone)]
pub struct IlInput<'a> {
    /// The name that diagnostics print.
    pub name: &'a str,
    /// The bytes of the module, in either byte order.
    pub module: &'a [u8],
    /// The parsed option string of clBuildProgram. Options that concern source have no effect.
    pub options: &'a Options,
    /// The values of specialization constants.
    pub specialization: &'a Specialization,
}

/// A finished module.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The SPIR-V with its reflection.
    pub words: Vec<u32>,
    /// The warnings.
    pub log: String,
}

/// A compilation that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The build log with the errors.
    pub log: String,
    /// Whether the failure is a fault of the compiler.
    pub internal: bool,
}

/// A translation unit that is compiled but not linked.
#[derive(Clone, Debug)]
pub struct Object {
    /// The unit's IR, before the passes.
    pub module: Module,
    /// The warnings.
    pub log: String,
}

impl Object {
    /// Returns the text form of the module, which a program binary holds.
    pub fn to_text(&self) -> String {
        self.module.to_string()
    }

    /// Reads the output of [`Object::to_text`]. The text may have been tampered with, so the module is
    /// verified.
    pub fn from_text(text: &str) -> Result<Object, ObjectError> {
        let module = parse(text)?;
        crate::verify::module(&module, crate::inv![Ssa], "reading an object")?;
        Ok(Object {
            module,
            log: String::new(),
        })
    }
}

/// A text that is not a valid object.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The text is not the text form of a module.
    #[error(transparent)]
    Syntax(#[from] ParseError),
    /// The module breaks the rules of the IR.
    #[error(transparent)]
    Invalid(#[from] InternalError),
}

/// The steps of a compilation, in order.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Converts text to tokens.
    Preprocess,
    /// Converts tokens to an AST.
    Parse,
    /// Converts the AST to the typed tree.
    Sema,
    /// Converts the typed tree to IR.
    LowerHir,
    /// Converts a SPIR-V module to IR, in place of the stages before.
    Import,
    /// Joins objects into one module.
    Link,
    /// Transforms the IR.
    Passes,
    /// Converts IR to SPIR-V.
    Emit,
}

impl Stage {
    /// Returns the name that `calderac --time` prints.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Preprocess => "preprocess",
            Stage::Parse => "parse",
            Stage::Sema => "sema",
            Stage::LowerHir => "lower_hir",
            Stage::Import => "import",
            Stage::Link => "link",
            Stage::Passes => "passes",
            Stage::Emit => "emit",
        }
    }
}

/// The result of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dump {
    /// The result of any stage except emission.
    Text(String),
    /// A SPIR-V module.
    Words(Vec<u32>),
}

/// Observes a compilation: receives results and times, and sets the hooks of the pass manager.
pub trait Observer: Send {
    /// Returns whether the results of a stage are wanted.
    fn wants(&self, stage: Stage) -> bool;
    /// Returns whether this one of the results of a wanted stage is wanted.
    fn wants_named(&self, _stage: Stage, _name: &str) -> bool {
        true
    }
    /// Receives the result of a stage. `name` tells several results of one stage apart; for passes it holds
    /// the number, "before" or "after", and the name of the pass.
    fn dump(&mut self, stage: Stage, name: &str, dump: Dump);
    /// Receives the time that a stage, or one pass of it, took.
    fn time(&mut self, stage: Stage, pass: Option<&'static str>, time: Duration);
    /// Returns the hooks for the pass manager.
    fn hooks(&self) -> Hooks {
        Hooks::default()
    }
    /// Returns whether to stop after this stage.
    fn stop_after(&self, stage: Stage) -> bool {
        let _ = stage;
        false
    }
}

/// An observer that ignores everything.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn wants(&self, _: Stage) -> bool {
        false
    }
    fn dump(&mut self, _: Stage, _: &str, _: Dump) {}
    fn time(&mut self, _: Stage, _: Option<&'static str>, _: Duration) {}
}

/// Compiles source to SPIR-V with the reflection that [`reflect::read`](crate::reflect::read()) reads.
///
/// # Errors
///
/// [`Failed`] contains the build log. [`Failed::internal`] distinguishes a fault of the compiler from errors
/// in the program. The function does not panic.
pub fn compile(input: &Input<'_>, target: &Target) -> Result<Compiled, Failed> {
    compile_observed(input, target, &mut Unobserved)
}

/// Compiles source to SPIR-V under an observer. Returns no words if the observer stopped the compilation.
pub fn compile_observed(
    input: &Input<'_>,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Compiled, Failed> {
    let mut run = Run::new(input.options, target, observer);
    let words = run.front(input, Roots::Kernels, |run, module| run.back(module));
    run.compiled(words)
}

/// Compiles a SPIR-V module of the Kernel flavour as [`compile_observed`] compiles source.
///
/// # Errors
///
/// Fails as [`compile`] does; the build log names the instruction that is invalid or not implemented.
pub fn compile_il(
    input: &IlInput<'_>,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Compiled, Failed> {
    let mut run = Run::new(input.options, target, observer);
    let words = run.import(input, |run, module| run.back(module));
    run.compiled(words)
}

/// Compiles a SPIR-V module of the Kernel flavour to an object for [`link`].
///
/// # Errors
///
/// Fails as [`compile_il`] does.
pub fn compile_il_object(
    input: &IlInput<'_>,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Object, Failed> {
    let mut run = Run::new(input.options, target, observer);
    let module = run.import(input, |_, module| Ok(Some(module)));
    run.object(module)
}

/// Compiles source to an object for [`link`]. Another object may define the functions that the source only
/// declares.
///
/// # Errors
///
/// Fails as [`compile`] does.
pub fn compile_object(input: &Input<'_>, target: &Target) -> Result<Object, Failed> {
    compile_object_observed(input, target, &mut Unobserved)
}

/// Compiles source to an object under an observer, as [`compile_object`] does. Returns an empty module if the
/// observer stopped the compilation.
pub fn compile_object_observed(
    input: &Input<'_>,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Object, Failed> {
    let mut run = Run::new(input.options, target, observer);
    let module = run.front(input, Roots::AllDefined, |_, module| Ok(Some(module)));
    run.object(module)
}

/// Links objects into an executable program in SPIR-V.
///
/// # Errors
///
/// Fails as [`compile`] does; a function that a kernel reaches and no object defines is an error in the
/// program.
pub fn link(objects: &[&Object], options: &Options, target: &Target) -> Result<Compiled, Failed> {
    link_observed(objects, options, target, &mut Unobserved)
}

/// Links objects under an observer, as [`link`] does. Returns no words if the observer stopped the
/// compilation.
pub fn link_observed(
    objects: &[&Object],
    options: &Options,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Compiled, Failed> {
    let mut run = Run::new(options, target, observer);
    let words = run.on_thread(STACK, |run| {
        let module = run.joined(objects)?;
        run.back(module)
    });
    run.compiled(words)
}

/// Links objects into one object, a library (`-create-library`).
///
/// # Errors
///
/// Fails as [`compile`] does.
pub fn link_library(objects: &[&Object], options: &Options, target: &Target) -> Result<Object, Failed> {
    let observer = &mut Unobserved;
    let mut run = Run::new(options, target, observer);
    let module = run.on_thread(STACK, |run| run.joined(objects).map(Some));
    run.object(module)
}
