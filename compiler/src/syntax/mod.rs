//! Parsing: tokens to AST.

pub mod ast;
