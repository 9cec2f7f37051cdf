//! The questions of Clang's compilers that a program asks before it uses something: `__has_builtin(NAME)`,
//! `__has_attribute(NAME)`, `__has_feature(NAME)` and `__has_extension(NAME)`.
//!
//! `__has_include` does not exist: the answer would depend on files that the program does not include, and such
//! files are not part of the key of a cached program.

use super::Pp;
use super::predefined::{self, Known};
use super::token::{Punct, Token, TokenKind};

/// What a question is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Question {
    /// A function whose name begins with `__builtin_`. Functions of OpenCL C are not meant, as in Clang.
    Builtin,
    /// An attribute, with or without two underscores on either side.
    Attribute,
    /// A feature of another language, such as C11. None of those that Clang names exist.
    Feature,
}

/// The known attributes, sorted.
const ATTRIBUTES: &[&str] = &[
    "aligned",
    "alloc_size",
    "always_inline",
    "annotate",
    "artificial",
    "cold",
    "const",
    "convergent",
    "coop_mat",
    "deprecated",
    "device",
    "endian",
    "ext_vector_type",
    "flatten",
    "format",
    "gnu_inline",
    "hot",
    "intel_reqd_sub_group_size",
    "leaf",
    "malloc",
    "may_alias",
    "noinline",
    "nomerge",
    "nonnull",
    "noreturn",
    "nosvm",
    "nothrow",
    "opencl_unroll_hint",
    "optnone",
    "overloadable",
    "packed",
    "pure",
    "reqd_work_group_size",
    "returns_nonnull",
    "section",
    "unroll",
    "unused",
    "used",
    "vec_type_hint",
    "vector_size",
    "visibility",
    "warn_unused_result",
    "weak",
    "work_group_size_hint",
];

/// Returns `true` if the compiler knows the attribute, and so does not warn about it. The name has no underscores around it.
pub(crate) fn is_known_attribute(name: &str) -> bool {
    ATTRIBUTES.binary_search(&name).is_ok()
}

impl Pp<'_> {
    /// Reads the name in parentheses that follows the question `t`, and returns the answer. What follows is not expanded.
    /// If no such name follows, an error is reported.
    pub(super) fn ask(&mut self, question: Question, t: Token) -> bool {
        let mut read = |want: fn(&Token) -> bool| self.next_raw().filter(want);
        let name = read(|t| t.is(Punct::LParen))
            .and_then(|_| read(|t| matches!(t.kind, TokenKind::Ident | TokenKind::Keyword(_))));
        let closed = name.is_some() && read(|t| t.is(Punct::RParen)).is_some();
        let Some(name) = name.filter(|_| closed) else {
            let message = format!("'{}' requires a name in parentheses", self.text(&t));
            self.diags.error(t.span, message);
            return false;
        };
        let text = self.text(&name);
        match question {
            Question::Builtin => {
                text.starts_with("__builtin_")
                    && !matches!(predefined::lookup(text, self.names.settings()), Known::Nothing)
            }
            Question::Attribute => {
                let plain = text.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
                is_known_attribute(plain.unwrap_or(text))
            }
            Question::Feature => false,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn attributes_are_sorted() {
        assert!(super::ATTRIBUTES.is_sorted());
    }
}
