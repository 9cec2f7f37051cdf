//! Diagnostics and their rendering into a build log, in the form that clang prints:
//! `file:line:col: error: message`, the source line, a caret line, then notes.

use crate::source::{SourceMap, Span};

/// How bad a diagnostic is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Attached to another diagnostic.
    Note,
    /// The build goes on.
    Warning,
    /// The build fails.
    Error,
}

/// One message with a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// Severity.
    pub severity: Severity,
    /// Where; [`Span::NONE`] if it concerns the whole program.
    pub span: Span,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Further positions: macro expansions, candidates, previous declarations.
    pub notes: Vec<(Span, String)>,
}

impl Diag {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diag {
            severity: Severity::Error,
            span,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// A warning.
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

/// The diagnostics of one compilation, in order of discovery.
#[derive(Clone, Default, Debug)]
pub struct Diags {
    list: Vec<Diag>,
    errors: usize,
    /// There were more errors than anybody reads: nothing more is taken.
    full: bool,
}

/// Errors after which the rest is left out.
const MAX_ERRORS: usize = 100;

impl Diags {
    /// Appends one, unless the same was said just before: a macro may use its argument several times.
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

    /// Shorthand for an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diag::error(span, message));
    }

    /// Shorthand for a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diag::warning(span, message));
    }

    /// Whether any error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were reported.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diag> {
        self.list.iter()
    }

    /// Whether there is nothing to say.
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

/// Most macros that one position is traced through.
const MAX_EXPANSIONS: usize = 6;

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

fn render_line(out: &mut String, map: &SourceMap, span: Span, word: &str, message: &str) {
    let at = map.locate(span);
    out.push_str(&format!(
        "{}:{}:{}: {word}: {message}\n",
        at.file, at.line, at.column
    ));
    out.push_str(at.line_text);
    out.push('\n');
    // Tabs are kept so that the caret stands under its column whatever the tab width.
    let before = at.line_text.get(..at.column as usize - 1).unwrap_or(at.line_text);
    out.extend(before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }));
    out.push('^');
    let rest = at.line_text.len().saturating_sub(at.column as usize - 1);
    let tail = (span.hi.saturating_sub(span.lo) as usize)
        .min(rest)
        .saturating_sub(1);
    out.extend(std::iter::repeat_n('~', tail));
    out.push('\n');
}

/// A fault of the compiler itself: an invariant that a stage or pass broke. Never the user's error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("internal compiler error in {stage}: {message} ({file}:{line})")]
pub struct InternalError {
    /// Stage or pass name.
    pub stage: &'static str,
    /// What was wrong.
    pub message: String,
    /// The compiler's own source file.
    pub file: &'static str,
    /// And line.
    pub line: u32,
}

impl InternalError {
    /// Records the caller's position.
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
}
