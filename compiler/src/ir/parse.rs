//! Reads the text form that [`super::print`] writes; `docs/ir.md` has the grammar.
//!
//! What comes out is as well-formed as its author made it: whoever needs more calls the verifier. Nothing
//! recurses, so nesting is bounded by memory only.

mod function;
mod lex;
mod module;

use super::Module;
use lex::Tokens;

/// Why a text is no module.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// 1-based.
    pub line: u32,
    pub message: String,
}

/// Reads a module.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let mut tokens = Tokens::new(text)?;
    module::parse(&mut tokens)
}
