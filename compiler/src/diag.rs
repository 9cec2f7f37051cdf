//! Diagnostics and their rendering into a build log in clang's format: `file:line:col: error: message`, the
//! source line, a line with a caret, then notes.

use crate::source::{SourceMap, Span};

/// The severity of a diagnostic.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// An addition to another diagnostic.
    Note,
    /// A problem that does not stop the build.
    Warning,
    /// A problem that makes the build fail.
    Error,
}

/// A message with a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// The severity.
    pub severity: Severity,
    /// The position; [`Span::NONE`] if the message concerns the whole program.
    pub span: Span,
    /// The message: one sentence in lower case without a full stop.
    pub message: String,
    /// Further positions with messages: macro expansions, candidates, previous declarations.
    pub notes: Vec<(Span, String)>,
}

impl Diag {
    /// Creates an error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diag {
            severity: Severity::Error,
            span,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Creates a warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diag {
            severity: Severity::Warning,
            span,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push((span, message.into()));
        self
    }
}

/// The diagnostics of one compilation, in the order in which they were found.
#[derive(Clone, Default, Debug)]
pub struct Diags {
    list: Vec<Diag>,
    errors: usize,
    /// Whether there were more than [`MAX_ERRORS`] errors, so that further diagnostics are dropped.
    full: bool,
}

/// The number of errors after which further diagnostics are dropped.
const MAX_ERRORS: usize = 100;

impl Diags {
    /// Appends a diagnostic, unless it repeats one of the last few: a macro may use its argument several
    /// times.
    pub fn push(&mut self, d: Diag) {
        if self.full || self.list.iter().rev().take(8).any(|old| *old == d) {
            return;
        }
        if self.errors == MAX_ERRORS && d.severity == Severity::Error {
            self.full = true;
            self.list
                .push(Diag::error(Span::NONE, "too many errors emitted, stopping now"));
            return;
        }
        self.errors += usize::from(d.severity == Severity::Error);
        self.list.push(d);
    }

    /// Appends an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diag::error(span, message));
    }

    /// Appends a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diag::warning(span, message));
    }

    /// Returns whether any error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns the number of errors reported.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Iterates over all diagnostics.
    pub fn iter(&self) -> impl Iterator<Item = &Diag> {
        self.list.iter()
    }

    /// Returns whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Renders the build log.
    pub fn render(&self, map: &SourceMap) -> String {
        let mut out = String::new();
        let mut includers = Vec::new();
        for d in &self.list {
            let now = if d.span.is_none() {
                Vec::new()
            } else {
                map.includers(d.span)
            };
            if now != includers {
                for at in now.iter().map(|&s| map.locate(s)) {
                    out.push_str(&format!("In file included from {}:{}:\n", at.file, at.line));
                }
                includers = now;
            }
            let word = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            render_one(&mut out, map, d.span, word, &d.message);
            for (span, message) in &d.notes {
                render_one(&mut out, map, *span, "note", message);
            }
        }
        let warnings = self
            .list
            .iter()
            .filter(|d| d.severity == Severity::Warning)
            .count();
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        match (warnings, self.errors) {
            (0, 0) => {}
            (w, 0) => out.push_str(&format!("{} generated.\n", plural(w, "warning"))),
            (0, e) => out.push_str(&format!("{} generated.\n", plural(e, "error"))),
            (w, e) => {
                out.push_str(&format!(
                    "{} and {} generated.\n",
                    plural(w, "warning"),
                    plural(e, "error")
                ));
            }
        }
        out
    }
}

/// The greatest number of macro expansions that are listed for one position.
const MAX_EXPANSIONS: usize = 6;

/// Writes a message, followed by a note for each macro expansion that its position is in.
fn render_one(out: &mut String, map: &SourceMap, span: Span, word: &str, message: &str) {
    if span.is_none() {
        out.push_str(&format!("{word}: {message}\n"));
        return;
    }
    render_line(out, map, span, word, message);
    let chain = map.expansions(span);
    let skipped = chain.len().saturating_sub(MAX_EXPANSIONS);
    for (i, (name, at)) in chain.into_iter().enumerate() {
        if skipped > 0 && i == MAX_EXPANSIONS / 2 {
            out.push_str(&format!("note: (skipping {skipped} expansions in backtrace)\n"));
        }
        if (MAX_EXPANSIONS / 2..MAX_EXPANSIONS / 2 + skipped).contains(&i) {
            continue;
        }
        render_line(out, map, at, "note", &format!("expanded from macro '{name}'"));
    }
}

/// The length in bytes up to which messages and file names are printed whole.
const MAX_MESSAGE: usize = 2000;

/// The length in bytes up to which a source line is printed whole.
const MAX_LINE: usize = 400;

/// The number of bytes before the position that are printed of a longer line.
const LINE_BEFORE: usize = 120;

/// The text printed in place of an omitted part.
const CUT: &str = "...";

/// Returns the text, or its beginning if it is too long for a log.
fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    match text.len() > MAX_MESSAGE {
        true => format!("{}{CUT}", &text[..text.floor_char_boundary(MAX_MESSAGE)]).into(),
        false => text.into(),
    }
}

/// Returns the range of a source line that is printed: the whole line, or the part of a long line around a column.
/// Otherwise a program on a single line would be printed whole for each of its errors.
fn printed_part(line: &str, column: usize) -> std::ops::Range<usize> {
    if line.len() <= MAX_LINE {
        return 0..line.len();
    }
    let from = line.floor_char_boundary(column.saturating_sub(LINE_BEFORE).min(line.len()));
    from..line.floor_char_boundary((from + MAX_LINE).min(line.len()))
}

/// Writes a message with its position, the source line, and a line with a caret.
fn render_line(out: &mut String, map: &SourceMap, span: Span, word: &str, message: &str) {
    let at = map.locate(span);
    out.push_str(&format!(
        "{}:{}:{}: {word}: {}\n",
        shortened(at.file),
        at.line,
        at.column,
        shortened(message)
    ));
    let (line, column) = (at.line_text, at.column as usize - 1);
    let part = printed_part(line, column);
    let cut = |is_cut: bool| if is_cut { CUT } else { "" };
    let (cut_before, cut_after) = (cut(part.start > 0), cut(part.end < line.len()));
    let text = &line[part.clone()];
    out.push_str(&format!("{cut_before}{text}{cut_after}\n"));
    out.extend(cut_before.chars().map(|_| ' '));
    // Tabs are kept, so the caret is below its column for any tab width.
    let before = line.get(part.start..column).unwrap_or(text);
    out.extend(before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }));
    out.push('^');
    let marked = (span.hi.saturating_sub(span.lo) as usize).min(part.end.saturating_sub(column));
    out.extend(std::iter::repeat_n('~', marked.saturating_sub(1)));
    out.push('\n');
}

/// An invariant of the compiler that a stage or pass broke: a fault of the compiler, never of the user's
/// program.
#[derive(Clone, Debug, thiserror::Error)]
#[error("internal compiler error in {stage}: {message} ({file}:{line})")]
pub struct InternalError {
    /// The name of the stage or pass.
    pub stage: &'static str,
    /// The broken invariant, as a message.
    pub message: String,
    /// The compiler's own source file.
    pub file: &'static str,
    /// The line in that file.
    pub line: u32,
}

impl InternalError {
    /// Creates the error with the position of the caller.
    #[track_caller]
    pub fn new(stage: &'static str, message: impl Into<String>) -> Self {
        let at = std::panic::Location::caller();
        InternalError {
            stage,
            message: message.into(),
            file: at.file(),
            line: at.line(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_an_end() {
        let mut diags = Diags::default();
        for n in 0..3 * MAX_ERRORS {
            diags.error(Span::NONE, format!("error {n}"));
        }
        assert_eq!(diags.error_count(), MAX_ERRORS);
        let log = diags.render(&SourceMap::default());
        assert!(
            log.ends_with("error 99\nerror: too many errors emitted, stopping now\n100 errors generated.\n")
        );
    }

    /// The log contains only the part of a long line around the position.
    #[test]
    fn long_lines_are_cut() {
        let text: String = (0..4000).map(|n| format!("ü{n};")).collect();
        let column = text.find("ü2000;").expect("in the text") as u32;
        let mut map = SourceMap::default();
        let file = map.add("a.cl", text.as_str());
        let mut diags = Diags::default();
        for (lo, message) in [
            (column, "middle".into()),
            (0, "x".repeat(1 << 20)),
            (text.len() as u32, "end".into()),
        ] {
            let span = Span {
                file,
                lo,
                hi: lo + 6,
                ..Span::NONE
            };
            diags.error(span, message);
        }
        let log = diags.render(&map);
        assert!(log.len() < 10_000, "{}", log.len());
        let lines: Vec<&str> = log.lines().collect();
        let caret = lines[2].find('^').expect("a caret");
        // Each "ü" takes two bytes and one column.
        let wide = lines[1].chars().take(caret).map(char::len_utf8).sum::<usize>();
        assert!(lines[1][wide..].starts_with("ü2000;"), "{log}");
        assert!(lines[1].starts_with("...") && lines[1].ends_with("..."), "{log}");
        assert!(
            lines[4].starts_with("ü0;ü1;") && lines[5].starts_with('^'),
            "{log}"
        );
        assert!(lines[7].ends_with("ü3999;"), "{log}");
    }
}
