//! MLIR's SPIR-V dialect: its text to SPIR-V's words, and back.
//!
//! [`parse`](parse()) reads one `spirv.module`. Structured loops and selections become blocks with merge instructions, block
//! arguments become OpPhi, and types and constants are declared once. [`print`](print()) does the reverse.
//! `docs/spirv-dialect.md` lists the operations.

mod emit;
mod func;
mod inst;
mod lex;
mod ops;
mod parse;
mod print;
mod special;
mod types;

pub use parse::{parse, parse_type};
pub use print::{PrintError, print};
pub use types::{Image, Member, Type};

/// Returns whether a text is in the dialect. Its first line then begins with `spirv.module`, or with `module` around it.
pub fn is_dialect(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim_start)
        .filter(|l| !l.is_empty() && !l.starts_with("//"));
    lines
        .next()
        .is_some_and(|l| l.starts_with("spirv.module") || l.starts_with("module"))
}
