//! SPIR-V's text, as `spirv-as` and `spirv-dis` of SPIRV-Tools have it, to words and back.
//!
//! Both directions follow the tables of rspirv. The text that [`disassemble()`] writes is assembled to the same words.

mod assemble;
mod disassemble;
pub(crate) mod grammar;
mod lex;
pub(crate) mod number;

pub use assemble::assemble;
pub use disassemble::disassemble;

use std::fmt;

/// A fault of a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SyntaxError {
    /// The line, from 1 on.
    pub line: usize,
    /// The column in characters, from 1 on.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error: {}", self.line, self.column, self.message)
    }
}

/// Returns whether a text looks like SPIR-V's: it begins with the comment that `spirv-dis` writes, or with an
/// OpCapability.
pub fn is_assembly(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|l| !l.is_empty());
    let instruction = text
        .lines()
        .map(str::trim_start)
        .find(|l| !l.is_empty() && !l.starts_with(';'));
    first.is_some_and(|l| l.starts_with("; SPIR-V"))
        || instruction.is_some_and(|l| l.split_whitespace().next() == Some("OpCapability"))
}
