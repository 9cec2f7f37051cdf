//! OpenCL C 1.2 to Vulkan SPIR-V.
//!
//! ```text
//! source, headers, options
//!  → pp         tokens with positions
//!  → syntax     AST (lang-c behind one module)
//!  → sema       typed HIR; every user error comes from here or before
//!  → lower_hir  SSA IR in structured regions
//!  → pass       inlining, promotion, lowering (pass::pipeline has the order)
//!  → spirv      words, with NonSemantic.ClspvReflection appended
//! ```
//!
//! The library does no input or output: `#include` asks a resolver that the caller passes, and results are
//! values. It knows nothing of Vulkan handles, only a [`target::Target`].
#![forbid(unsafe_code)]

pub mod abi;
pub mod builtins;
pub mod clspv;
pub mod diag;
pub mod driver;
mod half;
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
mod suggest;
pub mod syntax;
pub mod target;
pub mod verify;

/// What this compiler is made of, hashed: another identity may compile the same source differently. For keys of
/// caches.
pub const IDENTITY: &str = env!("CALDERA_COMPILER_IDENTITY");

pub use driver::{
    Compiled, Dump, Failed, Input, Object, Observer, Stage, compile, compile_object, compile_observed, link,
    link_library,
};
