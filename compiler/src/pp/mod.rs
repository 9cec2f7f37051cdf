//! The preprocessor: C99 6.10 with the GNU extensions that OpenCL C code uses, and OpenCL C's predefined
//! macros (OpenCL 1.2, 6.10).

mod token;

use std::sync::Arc;

pub use token::{Keyword, Punct, Token, TokenFlags, TokenKind};

use crate::diag::Diags;
use crate::options::Options;
use crate::source::{FileId, SourceMap, Span};
use crate::target::Target;

/// Finds included files. The compiler itself does no input or output.
pub trait IncludeResolver {
    /// Looks for `name`. `angled`: written `<name>`. `includer` is the including file's name, `dirs` the `-I`
    /// directories in order. Returns the file's full name (its identity for `#pragma once`) and text.
    fn resolve(
        &self,
        name: &str,
        angled: bool,
        includer: &str,
        dirs: &[String],
    ) -> Option<(String, Arc<str>)>;
}

/// A resolver that finds nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _: &str, _: bool, _: &str, _: &[String]) -> Option<(String, Arc<str>)> {
        None
    }
}

/// Preprocesses the file `main`: errors and warnings go to `diags`, included files and the scratch file into
/// `map`.
pub fn preprocess(
    map: &mut SourceMap,
    main: FileId,
    options: &Options,
    target: &Target,
    resolver: &dyn IncludeResolver,
    diags: &mut Diags,
) -> Vec<Token> {
    let _ = (map, main, options, target, resolver);
    diags.error(Span::NONE, "the preprocessor is not there yet");
    Vec::new()
}

/// The tokens as text that lexes to the same tokens again, with the lines of the source.
pub fn tokens_to_text(tokens: &[Token], map: &SourceMap) -> String {
    let mut out = String::new();
    for t in tokens {
        if t.flags.line_start() || t.kind == TokenKind::Pragma {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
        } else if !out.is_empty() && !out.ends_with('\n') {
            out.push(' ');
        }
        if t.kind == TokenKind::Pragma {
            out.push_str("#pragma ");
            out.push_str(t.text(map));
            out.push('\n');
        } else {
            out.push_str(t.text(map));
        }
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
