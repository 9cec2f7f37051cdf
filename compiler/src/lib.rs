//! OpenCL C 1.2, and SPIR-V for OpenCL, to Vulkan SPIR-V.
//!
//! ```text
//! source, headers, options
//!  → pp         tokens with positions
//!  → syntax     AST (the only module that uses lang-c)
//!  → sema       typed HIR; every user error comes from here or before
//!  → lower_hir  SSA IR in structured regions
//!  → pass       inlining, promotion, lowering (pass::pipeline has the order)
//!  → spirv      words, with NonSemantic.ClspvReflection appended
//! ```
//!
//! SPIR-V for OpenCL enters at the IR, through `spirv_in`.
//!
//! The library does no input or output: a resolver that the caller passes answers `#include`, and results are
//! returned as values. It has no Vulkan handles; all it knows about a device is a [`target::Target`]. The
//! output is deterministic: the same input, options and target always give the same words.
//!
//! # Example
//!
//! ```
//! use caldera_compiler::options::Options;
//! use caldera_compiler::pp::NoIncludes;
//! use caldera_compiler::reflect::{self, Binding};
//! use caldera_compiler::target::Target;
//! use caldera_compiler::{Input, compile};
//!
//! let options = Options::parse("-cl-mad-enable -D SCALE=2")?;
//! let input = Input {
//!     name: "scale.cl",
//!     source: "kernel void scale(global float *x) { x[get_global_id(0)] *= SCALE; }",
//!     options: &options,
//!     resolver: &NoIncludes,
//! };
//! // Kernels take the addresses of buffers; `Target::clspv()` gives each buffer a descriptor.
//! let compiled = compile(&input, &Target::desktop()).map_err(|failed| failed.log)?;
//!
//! // The module says itself what a launch has to supply.
//! let reflection = reflect::read(&compiled.words)?;
//! let kernel = reflection.kernel("scale").ok_or("it is there")?;
//! assert!(matches!(kernel.args[0].binding, Some(Binding::Pointer(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/compile.rs` is a whole program: files, headers, errors.
//!
//! # Where to find what
//!
//! | | |
//! |---|---|
//! | [`driver`] | [`compile`], [`compile_il`], [`compile_object`], [`link()`] and [`link_library`]; an [`Observer`] sees every stage |
//! | [`options`], [`pp::IncludeResolver`] | the inputs of clBuildProgram and clCompileProgram |
//! | [`target`], [`abi`], [`clspv`] | the device, the interface between kernels and launches, clspv's options |
//! | [`reflect`] | reading, writing and removing a module's reflection; descriptor maps |
//! | [`printf`] | formatting of what a kernel printed |
//! | [`check`] | the checks of instrumented kernels, and the form of their findings |
//!
//! The other modules are the stages. They are public for tests and tools, and their interfaces change as the
//! compiler does.
#![forbid(unsafe_code)]

pub mod abi;
pub mod builtins;
pub mod check;
pub mod clspv;
pub mod diag;
pub mod driver;
pub mod entity;
pub mod half;
mod hash;
pub mod hir;
pub mod interp;
pub mod intrinsic;
pub mod ir;
pub mod link;
pub mod lower_hir;
pub mod options;
pub mod pass;
pub mod pp;
pub mod printf;
pub mod reflect;
pub mod sema;
pub mod source;
pub mod spirv;
pub mod spirv_in;
pub mod spirv_mlir;
pub mod spirv_text;
mod stack;
pub mod suggest;
pub mod syntax;
pub mod target;
pub mod verify;

/// A hash of everything that this compiler is built from, for the keys of caches. A compiler with another
/// identity may compile the same source differently.
pub const IDENTITY: &str = env!("CALDERA_COMPILER_IDENTITY");

pub use driver::{
    Compiled, Dump, Failed, IlInput, Input, Object, Observer, Stage, Unobserved, compile, compile_il,
    compile_il_object, compile_object, compile_object_observed, compile_observed, link, link_library,
    link_observed,
};
