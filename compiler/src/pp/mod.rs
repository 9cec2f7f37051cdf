//! The preprocessor: C99 6.10, the GNU extensions that OpenCL C programs use, and the predefined macros of
//! OpenCL C (OpenCL 1.2, 6.10).

mod condition;
mod directive;
mod expand;
mod features;
mod lex;
pub(crate) mod literal;
mod names;
mod pragma;
mod predefined;
pub(crate) mod table;
mod token;

use std::sync::Arc;

pub(crate) use features::is_known_attribute;
pub use token::{Keyword, Punct, Token, TokenFlags, TokenKind};

use self::lex::Lexer;
use self::names::Names;
use self::predefined::Settings;
use crate::diag::Diags;
use crate::options::{Define, Options};
use crate::source::{FileId, SourceMap, Span};
use crate::target::Target;

/// Finds included files, since the compiler itself does no input or output. It is called on a thread that the
/// compiler creates.
pub trait IncludeResolver: Sync {
    /// Finds the file `name`. `angled` means that it was written as `<name>`; `includer` is the name of the
    /// including file; `dirs` are the `-I` directories in order. Returns `None` if there is no such file.
    fn resolve(&self, name: &str, angled: bool, includer: &str, dirs: &[String]) -> Option<Included>;
}

/// A file that `#include` found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Included {
    /// The full name, which identifies the file for `#pragma once`.
    pub name: String,
    /// The file's text, or the reason why it cannot be read, as the end of a message: "is not a regular
    /// file".
    pub text: Result<Arc<str>, String>,
}

/// The size of the largest file that a resolver should include. Resolvers read regular files only, up to this
/// size, because a device or a pipe may have no end.
pub const MAX_INCLUDED_BYTES: u64 = 64 << 20;

/// A resolver that finds no file.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoIncludes;

impl IncludeResolver for NoIncludes {
    fn resolve(&self, _: &str, _: bool, _: &str, _: &[String]) -> Option<Included> {
        None
    }
}

/// The number of errors after which the preprocessor stops.
const MAX_ERRORS: usize = 50;

/// The state of one run of the preprocessor.
struct Pp<'a> {
    /// The extensions of the target device.
    extensions: &'a [String],
    map: &'a mut SourceMap,
    main: FileId,
    options: &'a Options,
    resolver: &'a dyn IncludeResolver,
    diags: &'a mut Diags,
    names: Names,
    /// The meanings of names that `push_macro` has kept.
    kept: Vec<(u32, names::Def)>,
    /// The files being read, innermost last.
    files: Vec<Open>,
    /// Every file that was included so far.
    known: Vec<KnownFile>,
    contexts: Vec<expand::Context>,
    /// Contexts below this index are not read; if `closed` is set, the file is not read either.
    barrier: usize,
    closed: bool,
    /// Whether the arguments of a macro call are being read.
    in_args: bool,
    /// The text of tokens that are in no file; it becomes the text of the scratch file.
    scratch: String,
    scratch_file: FileId,
    /// The lexer's buffer for tokens with line splices.
    spliced: String,
    /// The line-start flag of a macro name whose expansion was empty; the next token gets it.
    pending: u8,
    counter: u32,
    work: usize,
    copied: usize,
    produced: usize,
    depth: usize,
    includes: usize,
    /// Whether a limit was exceeded or a header was not found, so that nothing more is read.
    aborted: bool,
}

/// A file being read.
struct Open {
    lexer: Lexer,
    conditions: Vec<Condition>,
    guard: Guard,
    known: Option<usize>,
}

/// A conditional whose `#endif` has not been read.
struct Condition {
    at: Span,
    /// Whether one of its groups has been read or is being read.
    taken: bool,
    seen_else: bool,
}

/// How much of the file so far has the form of an include guard, `#ifndef X … #endif` and nothing else.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Guard {
    Start,
    Inside(u32),
    Done(u32),
    No,
}

/// A file that was included before.
struct KnownFile {
    name: String,
    file: FileId,
    /// Whether the file contains `#pragma once`.
    once: bool,
    /// The include-guard macro, if a guard encloses the whole file.
    guard: Option<u32>,
}

impl Pp<'_> {
    fn abort(&mut self, at: Span, message: &str) {
        if !self.aborted {
            self.diags.error(at, message);
            self.aborted = true;
        }
    }

    /// Reads the whole input into `out`.
    fn run(&mut self, out: &mut Vec<Token>) {
        let errors = self.diags.error_count();
        while let Some(mut t) = self.next_expanded() {
            match t.kind {
                TokenKind::Ident => {
                    if let Some(k) = self.names.get(t.id).keyword {
                        t.kind = TokenKind::Keyword(k);
                    } else if let Some(c) = self.text(&t).chars().find(|c| !is_name_char(*c)) {
                        let message = format!("unexpected character <U+{:04X}>", u32::from(c));
                        self.diags.error(t.span, message);
                        continue;
                    }
                }
                TokenKind::Other => {
                    let text = self.text(&t);
                    let message = match text.trim_start_matches('L').chars().next() {
                        Some(q @ ('"' | '\'')) => format!("missing terminating '{q}' character"),
                        _ => format!("unexpected character '{}'", text.escape_debug()),
                    };
                    self.diags.error(t.span, message);
                    if self.diags.error_count() > errors + MAX_ERRORS {
                        self.abort(t.span, "too many errors emitted, stopping now");
                    }
                    continue;
                }
                TokenKind::Keyword(_)
                | TokenKind::Number
                | TokenKind::Char
                | TokenKind::Str
                | TokenKind::Punct(_)
                | TokenKind::Table
                | TokenKind::Pragma => {}
            }
            t.flags.0 |= std::mem::take(&mut self.pending);
            self.produce(t);
            let begins_list = t.is(Punct::LBrace) && out.last().is_some_and(|last| last.is(Punct::Eq));
            out.push(t);
            if begins_list {
                out.extend(self.table(t));
            }
        }
    }

    /// Reads the table that follows the brace of an initializer, if there is one.
    fn table(&mut self, brace: Token) -> Option<Token> {
        // Tokens of macros may follow otherwise.
        if self.contexts.iter().any(expand::Context::is_left) {
            return None;
        }
        let lexer = &mut self.files.last_mut()?.lexer;
        let lo = brace.spelling.hi as usize;
        if brace.span != brace.spelling || brace.span.file != lexer.file || lexer.pos != lo {
            return None;
        }
        let hi = table::end_of_table(lexer.text.as_bytes(), lo)?;
        lexer.pos = hi;
        let span = lexer.span(lo, hi);
        Some(lex::token(TokenKind::Table, 0, names::NO_ID, span, span))
    }
}

/// Returns whether a character may be part of an identifier.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Preprocesses the file `main`. Errors and warnings go to `diags`; included files and the scratch file are
/// added to `map`. After a fatal error (a limit exceeded, a header not found) the list of tokens is empty.
pub fn preprocess(
    map: &mut SourceMap,
    main: FileId,
    options: &Options,
    target: &Target,
    resolver: &dyn IncludeResolver,
    diags: &mut Diags,
) -> Vec<Token> {
    let scratch_file = map.add("<scratch space>", "");
    let size = map.file(main).text.len();
    let mut pp = Pp {
        map,
        main,
        options,
        resolver,
        diags,
        names: Names::new(Settings::new(options, target)),
        kept: Vec::new(),
        extensions: &target.extensions,
        files: Vec::new(),
        known: Vec::new(),
        contexts: Vec::new(),
        barrier: 0,
        closed: false,
        in_args: false,
        scratch: String::new(),
        scratch_file,
        spliced: String::new(),
        pending: 0,
        counter: 0,
        work: 0,
        copied: 0,
        produced: 0,
        depth: 0,
        includes: 0,
        aborted: false,
    };
    let mut out = Vec::with_capacity(size / 4);
    pp.open(main, None);
    if !options.defines.is_empty() {
        let file = pp.map.add("<command line>", command_line(&options.defines));
        pp.open(file, None);
    }
    pp.run(&mut out);
    if pp.aborted {
        // The tokens read so far are only a part of the program, so they are dropped.
        out = Vec::new();
    }
    let scratch = std::mem::take(&mut pp.scratch);
    map.set_text(scratch_file, scratch);
    out
}

/// Writes `-D` and `-U` as directives.
fn command_line(defines: &[Define]) -> String {
    let mut text = String::new();
    for d in defines {
        match d {
            Define::Define(name, value) => {
                // 5.6.4.1: "truncated by embedded newline characters".
                let value = value.as_deref().unwrap_or("1");
                let value = value.split(['\n', '\r']).next().unwrap_or_default();
                text.push_str(&format!("#define {name} {value}\n"));
            }
            Define::Undef(name) => text.push_str(&format!("#undef {name}\n")),
        }
    }
    text
}

/// Returns the tokens as text that lexes to the same tokens again and keeps the lines of the source.
pub fn tokens_to_text(tokens: &[Token], map: &SourceMap) -> String {
    let mut out = String::new();
    let single = tokens.iter().flat_map(|t| match t.kind {
        TokenKind::Table => lex::tokens_of(map, t.span),
        _ => vec![*t],
    });
    for t in single {
        if t.flags.line_start() || t.kind == TokenKind::Pragma {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
        } else if !out.is_empty() && !out.ends_with('\n') {
            out.push(' ');
        }
        if t.kind == TokenKind::Pragma {
            out.push_str("#pragma ");
            // A backslash at the end would join the next line to the pragma.
            out.push_str(t.text(map).trim_end_matches(['\\', ' ', '\t']));
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
