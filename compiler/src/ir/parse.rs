//! Reads the text form that [`super::print`] writes; `docs/ir.md` has the grammar.
//!
//! The parser checks only the syntax; a caller that needs a well-formed module runs the verifier. Nothing
//! recurses, so nesting is bounded only by memory.

mod function;
mod lex;
mod module;

use super::Module;
use lex::Tokens;

/// A syntax error in a text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The number of the line, from 1 on.
    pub line: u32,
    /// The description of the error.
    pub message: String,
}

/// Parses a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut tokens = Tokens::new(text)?;
    module::parse(&mut tokens)
}
