//! Source files and positions in them.
//!
//! Every diagnostic, AST node, HIR node and IR instruction carries a [`Span`]; a [`SourceMap`] turns the span
//! into a file name, line, column and line text. The position of a token inside a macro expansion is the
//! macro's use in the file (the expansion point), as clang reports it; its [`Origin`] names the macro and the
//! token of its definition.

use std::sync::Arc;

/// A file in a [`SourceMap`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// The token of a macro definition that a position came from: an entry of the [`SourceMap`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin(u32);

impl Origin {
    /// The origin of a position outside macro expansions.
    pub const NONE: Origin = Origin(0);
}

/// A half-open byte range `lo..hi` of a file.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The file that contains the bytes.
    pub file: FileId,
    /// The first byte.
    pub lo: u32,
    /// The byte after the last one.
    pub hi: u32,
    /// The token of the macro definition, if this span is the use of a macro.
    pub origin: Origin,
}

impl Span {
    /// The absence of a position; file 0 is reserved for it.
    pub const NONE: Span = Span {
        file: FileId(0),
        lo: 0,
        hi: 0,
        origin: Origin::NONE,
    };

    /// Returns the span from the start of `self` to the end of `end`, or `self` if they are in different
    /// files or `end` ends before `self` starts.
    pub fn to(self, end: Span) -> Span {
        if self.file == end.file && end.hi > self.lo {
            Span { hi: end.hi, ..self }
        } else {
            self
        }
    }

    /// Returns whether this is not a position in a file.
    pub fn is_none(self) -> bool {
        self.file == FileId(0)
    }
}

/// One source text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name that diagnostics print.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    /// The byte offset of the start of each line.
    line_starts: Vec<u32>,
    /// The `#include` directive that first included the file.
    included_at: Option<Span>,
    /// Whether it is part of the library of built-in functions.
    is_library: bool,
    /// The effects of `#line`: from this line index on, lines are counted from this number, in a file of this
    /// name.
    renumbered: Vec<(u32, u32, Option<String>)>,
}

/// A position as diagnostics print it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The text of the line without its line end.
    pub line_text: &'a str,
}

/// A token of a macro's replacement list, in one expansion of the macro.
#[derive(Copy, Clone, Debug)]
struct MacroToken {
    /// The macro, as an index into `macros`.
    name: u32,
    file: FileId,
    lo: u32,
    hi: u32,
    /// The origin of the macro's name where it was used.
    user: Origin,
}

/// All the files of one compilation.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The macro names, at their definitions.
    macros: Vec<Span>,
    /// The macro tokens that [`Origin`]s stand for; [`Origin::NONE`] has no entry.
    macro_tokens: Vec<MacroToken>,
}

impl Default for SourceMap {
    fn default() -> Self {
        let none = SourceFile {
            name: "<none>".into(),
            text: "".into(),
            line_starts: vec![0],
            included_at: None,
            is_library: false,
            renumbered: Vec::new(),
        };
        SourceMap {
            files: vec![none],
            macros: Vec::new(),
            macro_tokens: Vec::new(),
        }
    }
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let line_starts = line_starts(&text);
        self.files.push(SourceFile {
            name: name.into(),
            text,
            line_starts,
            included_at: None,
            is_library: false,
            renumbered: Vec::new(),
        });
        FileId(self.files.len() as u32 - 1)
    }

    /// Adds a file of the library of built-in functions.
    pub(crate) fn add_library(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = self.add(name, text);
        self.files[id.0 as usize].is_library = true;
        id
    }

    /// Returns whether a position is in the library of built-in functions.
    pub(crate) fn is_in_library(&self, span: Span) -> bool {
        self.file(span.file).is_library
    }

    /// Records the `#include` directive that included a file.
    pub(crate) fn set_includer(&mut self, id: FileId, at: Span) {
        self.files[id.0 as usize].included_at = Some(at);
    }

    /// Returns the `#include` directives that led to a position, outermost first.
    pub fn includers(&self, span: Span) -> Vec<Span> {
        let mut out = Vec::new();
        let mut next = self.file(span.file).included_at;
        while let Some(at) = next {
            out.push(at);
            next = self.file(at.file).included_at;
        }
        out.reverse();
        out
    }

    /// Adds a macro whose name is defined at this position, and returns its number.
    pub(crate) fn add_macro(&mut self, name: Span) -> u32 {
        self.macros.push(name);
        self.macros.len() as u32 - 1
    }

    /// Adds the origin of a token of a macro's replacement list. `name` is the number of the macro, `token`
    /// the position of the token in the definition, and `user` the origin of the macro's use.
    pub(crate) fn add_origin(&mut self, name: u32, token: Span, user: Origin) -> Origin {
        self.macro_tokens.push(MacroToken {
            name,
            file: token.file,
            lo: token.lo,
            hi: token.hi,
            user,
        });
        Origin(self.macro_tokens.len() as u32)
    }

    /// Returns the macros that a position came from, outermost first: the name of each, and the position in
    /// its definition.
    pub fn expansions(&self, span: Span) -> Vec<(&str, Span)> {
        let mut out = Vec::new();
        let mut at = span.origin;
        while let Some(t) = (at.0 as usize)
            .checked_sub(1)
            .and_then(|i| self.macro_tokens.get(i))
        {
            let token = Span {
                file: t.file,
                lo: t.lo,
                hi: t.hi,
                origin: Origin::NONE,
            };
            out.push((self.text(self.macros[t.name as usize]), token));
            at = t.user;
        }
        out.reverse();
        out
    }

    /// Sets the text of a file, if the text is complete only after the file was added.
    pub fn set_text(&mut self, id: FileId, text: impl Into<Arc<str>>) {
        let f = &mut self.files[id.0 as usize];
        f.text = text.into();
        f.line_starts = line_starts(&f.text);
    }

    /// Executes `#line`: the first line that begins after `offset` gets the number `line`, and the following
    /// lines count from it. They are in the file `name` if it is given.
    pub fn set_line(&mut self, id: FileId, offset: u32, line: u32, name: Option<String>) {
        let f = &mut self.files[id.0 as usize];
        let first = f.line_starts.partition_point(|&s| s <= offset) as u32;
        let entry = (
            first,
            line,
            name.or_else(|| f.renumbered.last().and_then(|r| r.2.clone())),
        );
        // When a file is included again, its `#line` directives have the same effect, so they are not stored
        // twice.
        if f.renumbered.last().is_none_or(|r| r.0 < first) {
            f.renumbered.push(entry);
        }
    }

    /// Returns the number of files, including the reserved file 0.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns a file with its name and text.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Returns the text that a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file)
            .text
            .get(span.lo as usize..span.hi as usize)
            .unwrap_or("")
    }

    /// Returns the file, line and column of the start of a span.
    pub fn locate(&self, span: Span) -> Location<'_> {
        let f = self.file(span.file);
        let line = f.line_starts.partition_point(|&s| s <= span.lo).max(1) - 1;
        let start = f.line_starts[line];
        let end = f.line_starts.get(line + 1).map_or(f.text.len(), |&e| e as usize);
        let line_text = f.text[start as usize..end].trim_end_matches(['\n', '\r']);
        let (number, name) = match f.renumbered.partition_point(|r| r.0 as usize <= line) {
            0 => (line as u32 + 1, None),
            n => {
                let (first, number, name) = &f.renumbered[n - 1];
                (number.saturating_add(line as u32 - first), name.as_ref())
            }
        };
        Location {
            file: name.unwrap_or(&f.name),
            line: number,
            column: span.lo - start + 1,
            line_text,
        }
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(i, _)| i as u32 + 1));
    starts
}
